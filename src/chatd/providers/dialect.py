"""The seam to the wire formats: pure both ways, without I/O, clock or chance."""

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.domain.setup import ResponseFormat
from chatd.providers.capabilities.target import Target
from chatd.providers.events import StreamEvent
from chatd.providers.model import ToolChoice, ToolSpec
from chatd.providers.request.wire_turn import WireTurn


class Head(Struct, frozen=True, kw_only=True):
    """Everything of a request that is not history. Small, and written anew for every request."""

    # What the system says before everything else, one text for each of its messages.
    system: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = None
    # Whether those that the provider runs are offered too, as the options of the model say.
    provider_tools: bool = False
    # Already the effective one: asked for or the default, and not above the maximum.
    effort: Effort | None = None
    max_output_tokens: int | None = None
    # None: words.
    response_format: ResponseFormat | None = None
    # The conversation goes on after this answer, which the provider has kept; the turns are only what is new.
    previous_response: str | None = None


class Written(Struct, frozen=True):
    """Turns as they go over the wire: items of the request's list of messages, and what was left out."""

    items: Sequence[Json]
    warnings: tuple[str, ...] = ()


class Body(Struct, frozen=True):
    """The request: its JSON, and headers that it needs beside the usual ones."""

    json: bytes
    headers: dict[str, str] = {}
    warnings: tuple[str, ...] = ()


class Decoder(Protocol):
    """Frames of one answer, in order, become events. After Finished or Failed nothing follows."""

    @property
    def skipped(self) -> int:
        """How many frames of the provider were unknown and left out."""
        ...

    def feed(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        """One frame: the event's name (empty if it has none) and its data. Events are appended to `out`."""
        ...

    def close(self, out: list[StreamEvent]) -> None:
        """There are no more frames. Ends the stream, if nothing has ended it before."""
        ...


class Dialect(Protocol):
    """A wire format."""

    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        """Turns that begin with an assistant's (or with the conversation) and are followed by another one's.

        `newest` says that nothing follows: there the marks for prompt caching are due. What is written for
        older turns depends on nothing that comes later, so that it need never be written again.
        """
        ...

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        """The request around these items, which are JSON already and separated by commas."""
        ...

    def path(self, target: Target) -> str:
        """Where it goes, after the provider's base address."""
        ...

    def decoder(self, target: Target, new_id: Callable[[], str]) -> Decoder:
        """For one answer. `new_id` names what the provider left nameless."""
        ...
