"""What a model says, as it says it: one stream of events for every provider.

Text and reasoning come in blocks, which may be interleaved; a block is named by the provider
and ends once. Tool arguments come as pieces of JSON, and then once as the whole call. A stream ends
with exactly one Finished, or with a failure and nothing after it.

Thousands live at once, and none can be part of a cycle: the collector need not look at them (`gc=False`).
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.domain.part import Json
from chatd.errors import ProviderError


class Stop(StrEnum):
    """Why a model stopped."""

    DONE = "done"
    TOOLS = "tools"
    LENGTH = "length"
    REFUSED = "refused"
    # The provider stopped a long loop of its own tools and wants the same conversation sent again.
    PAUSED = "paused"
    OTHER = "other"


class Warned(Struct, frozen=True):
    """Something of the request was left out or repaired. Comes first, if at all."""

    warnings: tuple[str, ...]


class Accepted(Struct, frozen=True):
    """The provider has taken the request, and by this id finds it again if there is a complaint."""

    request_id: str


class Started(Struct, frozen=True):
    """The provider has begun to answer, under this id, and with this model: perhaps another than we asked."""

    response_id: str = ""
    model: str = ""


class TextDelta(Struct, frozen=True, gc=False):
    text: str
    block: str = "text"


class ReasoningDelta(Struct, frozen=True, gc=False):
    text: str
    block: str = "reasoning"
    # What the provider wants back with the block, such as a signature.
    internal: Json = None


class BlockEnded(Struct, frozen=True, gc=False):
    block: str
    internal: Json = None


class ToolInput(Struct, frozen=True, gc=False):
    """A piece of a call's arguments; the name may come later than the first piece."""

    call_id: CallId
    json: str
    tool: str | None = None


class ToolCalled(Struct, frozen=True):
    """A call, whole.

    Arguments that are no JSON object, or name a key twice, are the text that the model wrote: the tool's
    frame tells it what is wrong. No arguments at all are an empty object.
    """

    call_id: CallId
    tool: str
    args: Json
    provider_executed: bool = False
    internal: Json = None


class ToolReturned(Struct, frozen=True):
    """The result of a call that the provider ran itself."""

    call_id: CallId
    tool: str
    result: Json
    is_error: bool = False
    internal: Json = None


class SourceFound(Struct, frozen=True):
    source_id: str
    url: str
    title: str = ""


class FileMade(Struct, frozen=True):
    """A picture, a sound or a document that the model made."""

    media_type: str
    data: bytes
    name: str | None = None


class Refusal(Struct, frozen=True):
    """Why the provider would not let the model go on, in its words."""

    category: str = ""
    explanation: str = ""


class Finished(Struct, frozen=True):
    stop: Stop
    # None: the provider did not count.
    usage: Usage | None = None
    # What the provider wants back with the whole reply.
    internal: Json = None
    refusal: Refusal | None = None
    # What the provider itself says that the call has cost, in millionths of the currency.
    cost_micros: int | None = None


class Failed(Struct, frozen=True):
    """The end of a stream that went wrong. Decoders return it; `http_model` raises it."""

    error: ProviderError


StreamEvent: TypeAlias = (
    Warned
    | Accepted
    | Started
    | TextDelta
    | ReasoningDelta
    | BlockEnded
    | ToolInput
    | ToolCalled
    | ToolReturned
    | SourceFound
    | FileMade
    | Finished
    | Failed
)
