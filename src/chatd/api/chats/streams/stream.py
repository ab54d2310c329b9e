"""What a stream is: a route whose answer does not end, and what it has been opened with."""

from collections.abc import AsyncIterator, Awaitable, Callable
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
    tally: Tally = field(default_factory=Tally)


Batches: TypeAlias = AsyncIterator[Batch]
# Raises Refused when the caller may not go on to watch, and OtherView when they are to be shown something
# else. `moved`: others may do something with the chat than when it was asked last. When to ask again at the
# latest; None: nothing that is known of ends by itself.
MayWatch: TypeAlias = Callable[[Caller, bool], Awaitable[Micros | None]]


class OtherView(Exception):
    """Who comes back is shown what they may see now."""


class Opened(Struct, frozen=True, kw_only=True):
    batches: Batches
    may_watch: MayWatch
    # What a viewer is told last who may not watch any more.
    farewell: Batch
    # The version of who may do what with it for which they were let in.
    access: int = 0
    until: Micros | None = None


@dataclass(frozen=True, slots=True)
class Stream(Generic[Q]):
    """A route whose answer does not end."""

    path: str
    open: Callable[[Asked[Q, Nothing], Bell], Awaitable[Opened]]
    summary: str
    deed: Deed
    query: type[Q]
    # The union of what it tells.
    events: Any

    @property
    def of(self) -> Literal["chat", "list"]:
        return "chat" if "{chat_id}" in self.path else "list"


AnyStream: TypeAlias = Stream[Any]
