"""Following a stream through broken connections, without missing or repeating anything."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from chatd.client.backoff import delay_seconds
from chatd.client.errors import ApiError, Unreachable
from chatd.client.sse import SentEvent
from chatd.client.transport import Transport
from chatd.kit.clock import Clock

E = TypeVar("E")

# Tries in a row without a single event: with the pauses in between, about two minutes.
ATTEMPTS_MAX = 12

# Not now, but perhaps in a while.
_PASSING = frozenset({408, 429, 500, 502, 503, 504})


Connection: TypeAlias = Literal["lost", "back"]


def _tell_nothing(_: Connection) -> None:
    pass


class ReconnectPolicy(Struct, frozen=True, kw_only=True):
    """How long to wait before a broken stream is connected again, and how often."""

    clock: Clock
    chance: Callable[[], float]
    attempts_max: int = ATTEMPTS_MAX
    # Told when the connection is lost, and when it is back.
    tell: Callable[[Connection], None] = _tell_nothing


async def follow(
    transport: Transport,
    path: str,
    cursor: str | None,
    event_of: Callable[[str], E],
    reconnect: ReconnectPolicy,
) -> AsyncGenerator[E, None]:
    """Every event from the cursor on, each once.

    A connection that breaks is made anew, and goes on from the last event. Raises ApiError when the
    server refuses for good, and Unreachable when it was tried often enough.
    """
    failures, is_lost = 0, False

    def opened() -> None:
        # Not with the first event: where nothing happens, there may be none for hours.
        nonlocal is_lost
        if is_lost:
            is_lost = False
            reconnect.tell("back")

    while True:
        broken: ApiError | Unreachable
        try:
            async with aclosing(_once(transport, path, cursor, opened)) as events:
                async for sent in events:
                    failures = 0
                    cursor = sent.id or cursor
                    yield _decoded(sent, event_of)
            broken = Unreachable("The server ended the stream again and again.")
        except ApiError as error:
            if error.status not in _PASSING:
                raise
            broken = error
        except Unreachable as error:
            broken = error
        failures += 1
        if not is_lost:
            is_lost = True
            reconnect.tell("lost")
        if failures >= reconnect.attempts_max:
            raise broken
        await reconnect.clock.sleep(delay_seconds(failures, reconnect.chance))


async def _once(
    transport: Transport, path: str, cursor: str | None, opened: Callable[[], None]
) -> AsyncGenerator[SentEvent, None]:
    async with transport.stream(path, {"cursor": cursor}) as events:
        opened()
        async for each in events:
            yield each


def _decoded(sent: SentEvent, event_of: Callable[[str], E]) -> E:
    try:
        return event_of(sent.data)
    except msgspec.DecodeError as error:
        raise Unreachable("The stream holds something that is not an event.") from error
