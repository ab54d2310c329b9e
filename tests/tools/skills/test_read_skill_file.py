"""read_skill_file: files that come with a skill of the workspace, and nothing else."""

from pathlib import Path

import pytest

from chatd.domain.ids import CallId, ChatId
from chatd.tools.tool import Setting
from tests.tools.skills.desk import Asking
from tests.traceability import proves


async def test_a_file_of_a_skill_is_read(ask: Asking) -> None:
    assert await ask.result("read_skill_file", name="deploy", path="hosts.md") == {"content": "One and two."}


async def test_a_long_file_is_cut(ask: Asking, root: Path) -> None:
    (root / "skills" / "deploy" / "long.md").write_text("é" * 300_000, "utf-8")

    setting = Setting(
        chat_id=ChatId("chat"), call_id=CallId("call"), show=lambda _: None, workspace=ask.workspace
    )
    tool = ask.toolbox.find("read_skill_file")
    assert tool is not None
    args = tool.arguments.check({"name": "deploy", "path": "long.md"})
    told = await tool.run(args, setting)

    assert told["content"] == "é" * 262_144
    assert told["note"] == "These are the first 524288 of 600000 bytes."


async def test_a_personal_skill_has_none(ask: Asking) -> None:
    assert "has no files" in await ask.error("read_skill_file", name="review", path="x")


async def test_what_is_no_text_is_told_so(ask: Asking, root: Path) -> None:
    (root / "skills" / "deploy" / "logo.png").write_bytes(b"\x89PNG\xff")
    assert await ask.error("read_skill_file", name="deploy", path="logo.png") == "logo.png is not text."


async def test_a_missing_file_is_told_so(ask: Asking) -> None:
    assert "There is no file" in await ask.error("read_skill_file", name="deploy", path="none.md")


@proves("tools", 70)
@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/etc/passwd", ".hidden/x", "a/.env", ".", "", "/", "a\0b"]
)
async def test_a_path_that_leads_out_is_refused_before_the_workspace_is_asked(ask: Asking, path: str) -> None:
    ask.workspace = None

    assert (await ask.error("read_skill_file", name="deploy", path=path)).startswith("The path must ")


async def test_what_it_would_read_is_told_to_the_rules_for_approvals(ask: Asking) -> None:
    tool = ask.toolbox.find("read_skill_file")
    assert tool is not None
    assert tool.touches is not None
    args = tool.arguments.check({"name": "deploy", "path": "hosts.md"})

    assert tool.touches(args).reads == ("skills/deploy/hosts.md",)
