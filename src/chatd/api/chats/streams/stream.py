"""What a stream is: a route whose answer does not end, and what it has been opened with."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeAlias

from msgspec import Meta, Struct
from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.api.bodies import Nothing
from chatd.api.router import Asked, Q
from chatd.api.serving.callers.auth import Caller
from chatd.api.serving.limits.rate import Tally
from chatd.domain.ids import Micros
from chatd.domain.people.deeds import Deed
from chatd.kit.concurrency.bell import Bell
from chatd.live.cursor import CURSOR_LENGTH_MAX
from chatd.live.events import Batch


class StreamQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cursor: Annotated[
        Annotated[str, Meta(max_length=CURSOR_LENGTH_MAX)] | None,
        Meta(description="Of the last event that was received: only what follows it is sent."),
    ] = None


@dataclass(frozen=True, slots=True)
class StreamRequest:
    scope: Scope
    headers: Headers
    # What wakes its stream.
    bell: Bell
    # Who asks, looked up anew. Raises Refused when they are not let in any more, or not to this.
    caller_now: Callable[[], Awaitable[Caller]]
    tally: Tally = field(default_factory=Tally)
    # What it holds as long as it is open.
    held: ExitStack = field(default_factory=ExitStack)


Batches: TypeAlias = AsyncIterator[Batch]
# Raises Refused when the viewer may not go on to watch, and OtherView when they are to be shown something
# else. `moved`: others may do something with the chat than when it was asked last. When to ask again at the
# latest; None: nothing that is known of ends by itself.
AskAgain: TypeAlias = Callable[[bool], Awaitable[Micros | None]]


class OtherView(Exception):
    """Who comes back is shown what they may see now."""


class Opened(Struct, frozen=True, kw_only=True):
    # Raises Refused when there is nothing more to tell to this viewer.
    batches: Batches
    ask_again: AskAgain
    # What a viewer is told last who may not watch any more.
    farewell: Batch
    # The version of who may do what with it for which they were let in.
    access: int = 0
    until: Micros | None = None


@dataclass(frozen=True, slots=True)
class Stream(Generic[Q]):
    """A route whose answer does not end."""

    path: str
    open: Callable[[Asked[Q, Nothing], StreamRequest], Awaitable[Opened]]
    summary: str
    deed: Deed
    query: type[Q]
    # The union of what it tells.
    events: Any
    # As of a route.
    for_guests: bool = False

    @property
    def of(self) -> Literal["chat", "list", "guest"]:
        if self.for_guests:
            return "guest"
        return "chat" if "{chat_id}" in self.path else "list"


AnyStream: TypeAlias = Stream[Any]


def earliest(*ends: Micros | None) -> Micros | None:
    return min((end for end in ends if end is not None), default=None)
