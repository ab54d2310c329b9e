"""Calls and their results, side by side: no provider takes a history in which one lacks the other (pure).

Ids repeat: some servers number calls anew in each reply, and some give two calls of one reply the same id. So
a result belongs to the nearest call before it, in order, and no id is sent twice.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.ids import MessageId
from chatd.domain.part import Json
from chatd.providers.request.wire_turn import Called, Returned, TurnPart, WireTurn

NO_RESULT = "This call was interrupted and has no result."
UNKNOWN_TOOL = "unknown_tool"


class Prepared(Struct, frozen=True):
    """A message whose parts are ready, and whose calls may still lack results."""

    id: MessageId
    role: Literal["system", "user", "assistant", "tool"]
    parts: tuple[TurnPart, ...]
    internal: Json = None


class Taken:
    """The ids of calls that are in the request already: in what was written for good, and since then."""

    def __init__(self, before: set[str] | None = None) -> None:
        self._before: set[str] = before if before is not None else set()
        self.new: set[str] = set()

    def unique(self, call_id: str, message_id: MessageId) -> str:
        """The id, or one that no other call has yet. Depends on nothing that comes later."""
        wanted = call_id or "call"
        names = (wanted if n == 0 else f"{wanted}_{message_id}_{n}" for n in count())
        free = next(name for name in names if name not in self._before and name not in self.new)
        self.new.add(free)
        return free


def paired(messages: Sequence[Prepared], taken: Taken) -> Iterator[WireTurn]:
    """The same, with each result directly behind the reply that asked for it. Adds its ids to `taken`."""
    for reply, followers in _by_reply(messages):
        results = [
            (message.id, part)
            for message in followers
            for part in message.parts
            if isinstance(part, Returned) and not part.provider_executed
        ]
        if reply is not None:
            yield from _answered(reply, results, taken)
        yield from _orphans(results, taken)
        for message in followers:
            yield from _turn(message, tuple(p for p in message.parts if not isinstance(p, Returned)))


def _by_reply(messages: Sequence[Prepared]) -> Iterator[tuple[Prepared | None, list[Prepared]]]:
    """Each assistant's message with what comes before the next one; first what comes before them all."""
    reply: Prepared | None = None
    followers: list[Prepared] = []
    for message in messages:
        if message.role == "assistant":
            if reply is not None or followers:
                yield reply, followers
            reply, followers = message, []
        else:
            followers.append(message)
    if reply is not None or followers:
        yield reply, followers


def _answered(reply: Prepared, results: list[tuple[MessageId, Returned]], taken: Taken) -> Iterator[WireTurn]:
    """The reply, and a result for each of its calls, in their order. Takes these results from the others."""
    parts: list[TurnPart] = []
    answers: list[Returned] = []
    for part in _without_loose_ends(reply.parts):
        if isinstance(part, Called) and not part.provider_executed:
            wire_id = taken.unique(part.id, reply.id)
            parts.append(replace(part, id=wire_id))
            answer = _take(results, part.id) or Returned(part.id, part.tool, NO_RESULT, is_error=True)
            answers.append(replace(answer, id=wire_id, tool=part.tool))
        else:
            parts.append(part)
    yield from _turn(reply, tuple(parts))
    for answer in answers:
        yield WireTurn("tool", (answer,))


def _without_loose_ends(parts: Sequence[TurnPart]) -> Iterator[TurnPart]:
    """A provider's own call without a result, or the other way round, is worth nothing to it."""
    called = {part.id for part in parts if isinstance(part, Called) and part.provider_executed}
    returned = {part.id for part in parts if isinstance(part, Returned) and part.provider_executed}
    for part in parts:
        if isinstance(part, Called | Returned) and part.provider_executed:
            if part.id in called and part.id in returned:
                yield part
        elif not isinstance(part, Returned):
            yield part


def _take(results: list[tuple[MessageId, Returned]], call_id: str) -> Returned | None:
    for place, (_, result) in enumerate(results):
        if result.id == call_id:
            del results[place]
            return result
    return None


def _orphans(results: Iterable[tuple[MessageId, Returned]], taken: Taken) -> Iterator[WireTurn]:
    """A result whose call is gone gets one, so that it may stay."""
    for message_id, result in results:
        wire_id = taken.unique(result.id, message_id)
        tool = result.tool or UNKNOWN_TOOL
        yield WireTurn("assistant", (Called(wire_id, tool, {}),))
        yield WireTurn("tool", (replace(result, id=wire_id, tool=tool),))


def _turn(message: Prepared, parts: tuple[TurnPart, ...]) -> Iterator[WireTurn]:
    if parts:
        yield WireTurn(message.role, parts, message.internal)
