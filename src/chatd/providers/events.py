"""What a model says, as it says it: one stream of events for every provider.

Text and reasoning come in blocks, which may be interleaved; a block is named by the provider
and ends once. Tool arguments come as pieces of JSON, and then once as the whole call.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.domain.part import Json


class Stop(StrEnum):
    """Why a model stopped."""

    DONE = "done"
    TOOLS = "tools"
    LENGTH = "length"
    REFUSED = "refused"
    OTHER = "other"


class TextDelta(Struct, frozen=True):
    text: str
    block: str = "text"


class ReasoningDelta(Struct, frozen=True):
    text: str
    block: str = "reasoning"
    # What the provider wants back with the block, such as a signature.
    internal: Json = None


class BlockEnded(Struct, frozen=True):
    block: str
    internal: Json = None


class ToolInput(Struct, frozen=True):
    """A piece of a call's arguments; the name may come later than the first piece."""

    call_id: CallId
    json: str
    tool: str | None = None


class ToolCalled(Struct, frozen=True):
    """A call, whole.

    Arguments that are no JSON, or name a key twice, are the text that the model wrote: the tool's
    frame tells it what is wrong.
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


class Finished(Struct, frozen=True):
    stop: Stop
    usage: Usage | None = None
    internal: Json = None


StreamEvent: TypeAlias = (
    TextDelta | ReasoningDelta | BlockEnded | ToolInput | ToolCalled | ToolReturned | SourceFound | Finished
)
