"""Messages that a caller brings along: the history of an import, or of a new chat."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from chatd.api import bodies, checks
from chatd.api.bodies.fields import CARRIED_MESSAGES_MAX
from chatd.api.chats.messages.carried_files import Luggage
from chatd.domain.decision.ledger import owed_after
from chatd.domain.ids import CallId
from chatd.domain.limits import CALLS_PER_MESSAGE_MAX
from chatd.domain.message import Draft, Role, Visibility
from chatd.domain.part import Part, ToolCall, ToolResult
from chatd.errors import BadInput

P = TypeVar("P", ToolCall, ToolResult)
T = TypeVar("T")

# Of one import: as many as it may have messages.
IMPORTED_CALLS_MAX = CARRIED_MESSAGES_MAX
# Of a new chat, which is written in one transaction that others wait for.
HISTORY_CALLS_MAX = 2000
# Messages that are looked at before others have a turn of the event loop.
CHECKED_AT_ONCE_MAX = 50


async def history_of(
    messages: Sequence[bodies.CarriedMessage],
    field: str,
    *,
    calls_max: int,
    luggage: Luggage,
) -> list[Draft]:
    """The messages as they are stored. `field` is where they are in the request."""
    drafts = await drafts_of(messages, field)
    _check_count("tool calls", sum(len(_parts(draft, ToolCall)) for draft in drafts), calls_max, field)
    # Now, and not when some of the messages are stored.
    return luggage.of(drafts)


async def drafts_of(messages: Sequence[bodies.CarriedMessage], field: str) -> list[Draft]:
    return [_draft(message, f"{field}[{index}]") async for index, message in _patiently(messages)]


async def _patiently(items: Sequence[T]) -> AsyncIterator[tuple[int, T]]:
    """All of them with their places. Now and then others have a turn of the event loop."""
    for index, item in enumerate(items):
        if index % CHECKED_AT_ONCE_MAX == CHECKED_AT_ONCE_MAX - 1:
            await asyncio.sleep(0)
        yield index, item


def _draft(message: bodies.CarriedMessage, field: str) -> Draft:
    if not message.content:
        raise BadInput("no_content", f"`{field}` has no parts.", field=f"{field}.content")
    calls = sum(isinstance(part, ToolCall) for part in message.content)
    _check_count("tool calls", calls, CALLS_PER_MESSAGE_MAX, f"{field}.content")
    for number, part in enumerate(message.content):
        _check_part(part, message.role, f"{field}.content[{number}]")
    return Draft(
        role=message.role,
        content=tuple(map(_carried, message.content)),
        visibility=Visibility.USER if message.for_people_only else Visibility.BOTH,
        model=checks.plain(message.model, f"{field}.model") if message.model is not None else None,
        effort=message.reasoning_effort,
        key=_key(message, f"{field}.key"),
    )


def _carried(part: Part) -> Part:
    """Who allowed a call elsewhere is no user of this server."""
    return replace(part, decision=None) if isinstance(part, ToolResult) and part.decision else part


def _key(message: bodies.CarriedMessage, field: str) -> str | None:
    if message.key is not None and message.role is not Role.USER:
        raise BadInput("misplaced_key", f"`{field}`: only messages of users have keys.", field=field)
    return checks.key(message.key, field)


def _check_count(what: str, count: int, most: int, field: str) -> None:
    if count > most:
        raise BadInput("too_many_parts", f"`{field}` has {count} {what}; at most {most} fit.", field=field)


def _check_part(part: Part, role: Role, field: str) -> None:
    match part:
        case ToolCall(args=args):
            if role is not Role.ASSISTANT:
                raise BadInput(
                    "misplaced_part", f"`{field}`: only the assistant makes tool calls.", field=field
                )
            checks.not_too_deep(args, f"{field}.args")
        case ToolResult(result=result):
            if role not in (Role.TOOL, Role.ASSISTANT):
                raise BadInput(
                    "misplaced_part", f"`{field}`: a {role} message has no tool results.", field=field
                )
            checks.not_too_deep(result, f"{field}.result")
        case _:
            pass


def check_keys(history: Sequence[Draft], whole: str, first: str | None = None) -> None:
    """No two messages of a chat have one key. `first` is that of the message after the history."""
    used: set[str] = set()
    for index, draft in enumerate(history):
        _check_new_key(draft.key, used, f"{whole}[{index}].key")
    _check_new_key(first, used, "message_key")


def _check_new_key(key: str | None, used: set[str], field: str) -> None:
    if key is None:
        return
    if key in used:
        raise BadInput("duplicate_key", f"`{field}`: another message has this key.", field=field)
    used.add(key)


async def check_order(drafts: Sequence[Draft], whole: str) -> None:
    """The rules of a history, as errors of the file: until a call has its result, only results may follow."""
    if not any(draft.role is Role.USER for draft in drafts):
        raise BadInput("no_user_message", "In this chat no user says anything.", field=whole)
    owed = frozenset[CallId]()
    async for index, draft in _patiently(drafts):
        field = f"{whole}[{index}]"
        if owed and draft.role in (Role.USER, Role.ASSISTANT):
            raise BadInput(
                "unanswered_calls", f"`{field}` comes before the results of the tool calls.", field=field
            )
        results = [part.tool_call_id for part in _parts(draft, ToolResult)]
        if draft.role is Role.TOOL and (len(set(results)) < len(results) or not owed.issuperset(results)):
            raise BadInput(
                "unexpected_result", f"`{field}` has a result that no tool call waits for.", field=field
            )
        made = _parts(draft, ToolCall)
        if len({call.tool_call_id for call in made}) < len(made):
            raise BadInput("duplicate_call", f"Two tool calls of `{field}` have one id.", field=field)
        owed = owed_after(owed, draft)


def _parts(draft: Draft, kind: type[P]) -> list[P]:
    return [part for part in draft.content if isinstance(part, kind)]
