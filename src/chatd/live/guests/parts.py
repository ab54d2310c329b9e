"""Parts of messages as guests see them, if they do: saved ones, and those that are being said (pure).

Files, and what tools have shown, are only in saved ones: a file is asked for by its message.
"""

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from msgspec import Struct

from chatd.domain.family import AGENT_TOOLS
from chatd.domain.part import SUMMARY_TOOL, File, Part, Reasoning, Source, Text, ToolCall, ToolResult
from chatd.domain.people.links import Included
from chatd.live.episodes.episode import LivePart, ToolCallPiece, ToolResultPiece

# A summary is for the model, and the chats that work for this one are not shown.
HIDDEN_TOOLS = AGENT_TOOLS | {SUMMARY_TOOL}


class _Part(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    pass


class GuestText(_Part, frozen=True, kw_only=True, tag="text"):
    text: str


class GuestReasoning(_Part, frozen=True, kw_only=True, tag="reasoning"):
    text: str


class GuestFile(_Part, frozen=True, kw_only=True, tag="file"):
    # What `GET …/public/files/{file_id}` is asked for.
    file_id: str
    media_type: str
    name: str | None = None


class GuestCall(_Part, frozen=True, kw_only=True, tag="tool-call"):
    tool_call_id: str
    tool_name: str
    args: Any = None


class GuestResult(_Part, frozen=True, kw_only=True, tag="tool-result"):
    tool_call_id: str
    tool_name: str
    result: Any = None
    is_error: bool = False
    media: GuestFile | None = None


class GuestSource(_Part, frozen=True, kw_only=True, tag="source"):
    source_id: str
    url: str
    title: str = ""


class GuestCallPiece(_Part, frozen=True, kw_only=True, tag="tool-call"):
    """Some more of a call's arguments."""

    tool_call_id: str
    tool_name: str
    args_delta: str


class GuestResultPiece(_Part, frozen=True, kw_only=True, tag="tool-result"):
    """Some more of what a running tool shows; `result_reset` begins anew."""

    tool_call_id: str
    tool_name: str
    result_delta: str
    result_reset: bool = False


GuestPart: TypeAlias = GuestText | GuestReasoning | GuestCall | GuestResult | GuestSource | GuestFile
GuestContent: TypeAlias = tuple[GuestPart, ...]
GuestLivePart: TypeAlias = (
    GuestText | GuestReasoning | GuestCall | GuestCallPiece | GuestResult | GuestResultPiece | GuestSource
)
# Makes what a guest is told of a file; None: files are not shown here.
ShowFile: TypeAlias = Callable[[File], GuestFile] | None


def saved_part(part: Part, include: Collection[Included], show_file: ShowFile) -> GuestPart | None:
    """None: it is not for guests. So is every kind of part that is not named here."""
    match part:
        case Text() if part.text.strip():
            return GuestText(text=part.text)
        case Reasoning() if Included.REASONING in include:
            return GuestReasoning(text=part.text)
        case File() if show_file is not None:
            return show_file(part)
        case Source() if Included.TOOLS in include:
            return GuestSource(source_id=part.source_id, url=part.url, title=part.title)
        case ToolCall() if _is_shown(part.tool_name, include):
            return GuestCall(tool_call_id=part.tool_call_id, tool_name=part.tool_name, args=part.args)
        case ToolResult() if _is_shown(part.tool_name, include):
            return _result(part, show_file)
        case _:
            return None


def live_part(part: LivePart, include: Collection[Included]) -> GuestLivePart | None:
    """The same of what is being said. A piece of it may be a space."""
    match part:
        case Text():
            return GuestText(text=part.text)
        case ToolCallPiece() if _is_shown(part.tool_name, include):
            return GuestCallPiece(
                tool_call_id=part.tool_call_id, tool_name=part.tool_name, args_delta=part.args_delta
            )
        case ToolResultPiece() if _is_shown(part.tool_name, include):
            return GuestResultPiece(
                tool_call_id=part.tool_call_id,
                tool_name=part.tool_name,
                result_delta=part.result_delta,
                result_reset=part.result_reset,
            )
        case ToolCallPiece() | ToolResultPiece() | File():
            return None
        case _:
            shown = saved_part(part, include, None)
            assert not isinstance(shown, GuestFile), "files are shown when they are saved"
            return shown


def _is_shown(tool: str, include: Collection[Included]) -> bool:
    """Some providers name a tool after the first of its arguments: until then it could be any."""
    return Included.TOOLS in include and tool not in HIDDEN_TOOLS and tool != ""


def _result(part: ToolResult, show_file: ShowFile) -> GuestResult:
    # What it shows is in the result of old ones, and described in that of others.
    hides_media = part.is_media and show_file is None
    return GuestResult(
        tool_call_id=part.tool_call_id,
        tool_name=part.tool_name,
        result=None if hides_media else part.result,
        is_error=part.is_error,
        media=show_file(part.media) if part.media is not None and show_file is not None else None,
    )
