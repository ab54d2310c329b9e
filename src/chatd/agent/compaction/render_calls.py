"""Calls and their results rendered as text, for a summarizer that cannot be sent them as calls (pure)."""

from collections.abc import Sequence

from msgspec.structs import replace

from chatd.domain.message import Message, Role
from chatd.domain.part import Part, Text, ToolCall, ToolResult
from chatd.domain.usage.size import tokens_of
from chatd.kit.codec import encode_text
from chatd.kit.text import shortened
from chatd.providers.request.prepare import origin_of

# Of what was asked for, and of what was found. The agent has said what it made of it.
CHARACTERS_MAX = 2000


def calls_as_text(messages: Sequence[Message], provider_id: str) -> Sequence[Message]:
    """The same messages, unless another provider than this one ran something in them.

    A model that answers is not sent such calls. A summarizer is: what its summary leaves out is lost.
    """
    if not any(_has_run_elsewhere(message, provider_id) for message in messages):
        return messages
    return [
        replace(message, content=tuple(_as_text(part) for part in message.content))
        if _has_run_elsewhere(message, provider_id)
        else message
        for message in messages
    ]


def all_as_text(messages: Sequence[Message]) -> list[Message]:
    """Every call and result in words: for a request that declares no tools."""
    return [
        replace(
            message,
            role=Role.USER if message.role is Role.TOOL else message.role,
            content=(content := tuple(_in_words(part) for part in message.content)),
            tokens=tokens_of(content),
            internal=None,
        )
        if any(isinstance(part, ToolCall | ToolResult) for part in message.content)
        else message
        for message in messages
    ]


def _in_words(part: Part) -> Part:
    match part:
        case ToolCall(tool_name=name, args=args):
            return Text(text=f"[{name} was called: {_shown(args)}]")
        case ToolResult(tool_name=name, result=result, is_media=is_media):
            return Text(text=f"[{name} returned: {'a picture' if is_media else _shown(result)}]")
        case _:
            return part


def _has_run_elsewhere(message: Message, provider_id: str) -> bool:
    return (
        message.role is Role.ASSISTANT
        and origin_of(message).get("provider") != provider_id
        and any(
            isinstance(part, ToolCall | ToolResult) and part.provider_executed for part in message.content
        )
    )


def _as_text(part: Part) -> Part:
    match part:
        case ToolCall(provider_executed=True, tool_name=name, args=args):
            return Text(text=f"[{name} was asked for: {_shown(args)}]")
        case ToolResult(provider_executed=True, tool_name=name, result=result):
            return Text(text=f"[{name} found: {_shown(result)}]")
        case _:
            return part


def _shown(value: object) -> str:
    return shortened(encode_text(value), CHARACTERS_MAX)
