"""Parts: what a message is made of, as it is stored and as people see it.

Parts are public by construction: what only a model or a provider may see travels
beside them, in the `internal` column of a message, and never through a part.

Rules for change: add optional fields; never reuse a tag; never change what a field means.
`tests/domain/golden/parts.json` holds one of each as it was first stored.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct

from chatd.domain.ids import CallId, FileId

# JSON that we did not write: the arguments of a model, the result of a tool.
Json: TypeAlias = Any

# Shown to people in place of a summary. There is no such tool to run.
SUMMARY_TOOL = "chat_summarized"

# RFC 3339, as it is shown. Parts are never ordered by time.
Timestamp: TypeAlias = str


class RunBy(StrEnum):
    """Who runs a tool call."""

    SERVER = "server"
    CLIENT = "client"
    PROVIDER = "provider"


class _Part(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    pass


class Text(_Part, frozen=True, kw_only=True, gc=False, tag="text"):
    text: str


class Reasoning(_Part, frozen=True, kw_only=True, gc=False, tag="reasoning"):
    text: str
    created_at: Timestamp | None = None
    completed_at: Timestamp | None = None


class ToolCall(_Part, frozen=True, kw_only=True, tag="tool-call"):
    tool_call_id: CallId
    tool_name: str
    args: Json = None
    # Calls that were saved before this was kept have none.
    kind: RunBy | None = None
    mcp_server_config_id: str | None = None
    parsed_commands: tuple[tuple[str, ...], ...] | None = None
    provider_executed: bool = False
    hook_rewritten: bool = False
    created_at: Timestamp | None = None


class CallDecision(Struct, frozen=True, kw_only=True):
    """What a person has said to a call that needed approval: who it was, and when."""

    allowed: bool
    by: str
    at: Timestamp | None = None


class File(_Part, frozen=True, kw_only=True, tag="file"):
    file_id: FileId
    media_type: str
    name: str | None = None
    # Of what a tool has shown; of other files it is not told.
    size_bytes: int | None = None


class ToolResult(_Part, frozen=True, kw_only=True, tag="tool-result"):
    tool_call_id: CallId
    tool_name: str
    result: Json = None
    is_error: bool = False
    is_media: bool = False
    # The picture or document that the tool has shown. Results of before this was kept have it inside, as
    # `data` in base64.
    media: File | None = None
    mcp_server_config_id: str | None = None
    provider_executed: bool = False
    # When the result was known, and how long the call took. A call that did not run here has no duration.
    created_at: Timestamp | None = None
    duration_ms: int | None = None
    # Left out of a call for which no person was asked.
    decision: CallDecision | None = None


class Source(_Part, frozen=True, kw_only=True, tag="source"):
    source_id: str
    url: str
    title: str = ""


class FileReference(_Part, frozen=True, kw_only=True, tag="file-reference"):
    file_name: str
    start_line: int | None = None
    end_line: int | None = None
    content: str = ""


class ContextFile(_Part, frozen=True, kw_only=True, tag="context-file"):
    context_file_path: str
    context_file_truncated: bool = False
    context_file_agent_id: str | None = None


class Skill(_Part, frozen=True, kw_only=True, tag="skill"):
    skill_name: str
    skill_description: str | None = None


class HookNotice(_Part, frozen=True, kw_only=True, tag="hook-notice"):
    text: str


Part: TypeAlias = (
    Text
    | Reasoning
    | ToolCall
    | ToolResult
    | Source
    | File
    | FileReference
    | ContextFile
    | Skill
    | HookNotice
)

Content: TypeAlias = tuple[Part, ...]


def files_in(contents: Iterable[Content]) -> tuple[FileId, ...]:
    """The files that these contents refer to, each once, in order of first mention."""
    return tuple(dict.fromkeys(f.file_id for content in contents for p in content for f in _files_of(p)))


def media_in(contents: Iterable[Content]) -> frozenset[FileId]:
    """Those of the files that tools have shown."""
    return frozenset(
        p.media.file_id for content in contents for p in content if isinstance(p, ToolResult) and p.media
    )


def _files_of(part: Part) -> tuple[File, ...]:
    match part:
        case File():
            return (part,)
        case ToolResult(media=File() as media):
            return (media,)
        case _:
            return ()
