"""Parts as they are stored: what was written once is read for ever."""

from pathlib import Path

import msgspec
import pytest

from chatd.domain.ids import CallId, FileId
from chatd.domain.part import (
    Content,
    ContextFile,
    File,
    FileReference,
    HookNotice,
    Part,
    Reasoning,
    Skill,
    Source,
    Text,
    ToolCall,
    ToolResult,
    files_in,
)
from chatd.kit.codec import Decoder, encode

GOLDEN = Path(__file__).parent / "golden" / "parts.json"

EVERY_PART: Content = (
    Text(text="hello"),
    Reasoning(text="hm", created_at="2027-01-15T08:00:00Z", completed_at="2027-01-15T08:00:01Z"),
    ToolCall(
        tool_call_id=CallId("call-1"), tool_name="run_command", args={"command": "ls"},
        mcp_server_config_id="mcp-1", parsed_commands=(("ls", "-l"),), provider_executed=True,
        hook_rewritten=True, created_at="2027-01-15T08:00:00Z",
    ),
    ToolResult(
        tool_call_id=CallId("call-1"), tool_name="run_command", result={"output": "a\nb"}, is_error=True,
        is_media=True, mcp_server_config_id="mcp-1", provider_executed=True,
        created_at="2027-01-15T08:00:00Z",
    ),
    Source(source_id="s-1", url="https://example.org", title="An example"),
    File(file_id=FileId("f-1"), media_type="image/png", name="a.png"),
    FileReference(file_name="a.py", start_line=1, end_line=2, content="x = 1"),
    ContextFile(context_file_path="AGENTS.md", context_file_truncated=True, context_file_agent_id="agent-1"),
    Skill(skill_name="deploy", skill_description="How to deploy"),
    HookNotice(text="Rewritten by policy."),
)  # fmt: skip


def test_every_kind_of_part_is_in_the_golden_file() -> None:
    assert {type(part) for part in EVERY_PART} == set(Part.__args__)


def test_parts_are_stored_as_they_were_first_stored() -> None:
    golden = msgspec.json.decode(GOLDEN.read_bytes())

    assert msgspec.json.decode(encode(EVERY_PART)) == golden
    assert Decoder(Content).decode(GOLDEN.read_bytes()) == EVERY_PART


def test_what_is_left_at_its_default_is_not_stored() -> None:
    part = ToolCall(tool_call_id=CallId("a"), tool_name="t")

    assert encode(part) == b'{"type":"tool-call","tool_call_id":"a","tool_name":"t"}'


def test_an_unknown_kind_of_part_is_not_guessed_at() -> None:
    with pytest.raises(msgspec.ValidationError, match="Invalid value 'telepathy'"):
        Decoder(Content).decode('[{"type":"telepathy","text":"?"}]')


def test_a_file_that_is_mentioned_twice_is_one_file() -> None:
    file = File(file_id=FileId("f"), media_type="text/plain")

    assert files_in([(file, Text(text="see")), (file,)]) == ("f",)
