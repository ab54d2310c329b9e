"""The seam to every model: one method."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from msgspec import Struct

from chatd.domain.message import Effort, Message
from chatd.domain.part import Json
from chatd.providers.events import StreamEvent


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as a model is told of it."""

    name: str
    description: str
    input_schema: Json


class Request(Struct, frozen=True, kw_only=True):
    """One model call: the history in order, as far as the model may see it, and the tools it may use."""

    messages: Sequence[Message]
    tools: tuple[ToolSpec, ...] = ()
    effort: Effort | None = None
    max_output_tokens: int = 32_000
    # Which try at this step it is, counting from 1. Only a scripted model wants to know.
    attempt: int = 1


class Model(Protocol):
    # As people name it: provider/model.
    name: str
    provider: str
    # 0: unknown.
    context_limit: int

    def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """What the model says, ending with Finished. Raises ProviderError.

        An async generator: closing it, also in the middle, closes the connection behind it.
        """
        ...


class Models(Protocol):
    def find(self, name: str | None) -> Model:
        """The model of this name, or the default for None. Raises ProviderError when it cannot be used."""
        ...
