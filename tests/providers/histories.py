"""Histories for tests of what a model is told: messages of all kinds, and who wrote them."""

from itertools import count

from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.ids import CallId, MessageId, Micros
from chatd.domain.message import Message, Role
from chatd.domain.part import Json, Part, Text, ToolCall, ToolResult
from chatd.providers.capabilities.target import DialectName, Files, Target

PROVIDER = "provider-1"
TARGET = Target(
    provider_id=PROVIDER,
    provider="acme",
    type="openai-compatible",
    dialect=DialectName.CHAT,
    model="large",
    files=Files(images=True, pdf=True),
)

_numbers = count(1)


def message(role: Role, *parts: Part, origin: str | None = PROVIDER, internal: Json = None) -> Message:
    number = next(_numbers)
    beside = None
    if role is Role.ASSISTANT and origin is not None:
        beside = {"origin": {"provider": origin, "asked": "large"}, **(internal or {})}
    return Message(
        role=role,
        content=parts,
        id=MessageId(number),
        revision=number,
        branch=FIRST_BRANCH,
        created_at=Micros(0),
        tokens=1,
        internal=beside,
    )


def system(words: str) -> Message:
    return message(Role.SYSTEM, Text(text=words))


def user(*parts: Part | str) -> Message:
    return message(Role.USER, *(Text(text=p) if isinstance(p, str) else p for p in parts))


def reply(*parts: Part | str, origin: str | None = PROVIDER, internal: Json = None) -> Message:
    return message(
        Role.ASSISTANT,
        *(Text(text=p) if isinstance(p, str) else p for p in parts),
        origin=origin,
        internal=internal,
    )


def result(
    call_id: str,
    output: Json = "done",
    tool: str = "echo",
    *,
    is_error: bool = False,
    is_media: bool = False,
) -> Message:
    part = ToolResult(
        tool_call_id=CallId(call_id), tool_name=tool, result=output, is_error=is_error, is_media=is_media
    )
    return message(Role.TOOL, part)


def call(call_id: str, args: Json = None, tool: str = "echo", *, by_provider: bool = False) -> ToolCall:
    return ToolCall(
        tool_call_id=CallId(call_id),
        tool_name=tool,
        args={} if args is None else args,
        provider_executed=by_provider,
    )


def found(call_id: str, output: Json = "found", tool: str = "web_search") -> ToolResult:
    return ToolResult(tool_call_id=CallId(call_id), tool_name=tool, result=output, provider_executed=True)
