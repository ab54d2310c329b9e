"""The frames of an answer, with the fields that count. msgspec passes over all others."""

from msgspec import Raw, Struct

from chatd.domain.part import Json


class Typed(Struct, frozen=True, gc=False):
    type: str = ""


class Delta(Struct, frozen=True, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""
    citation: Json = None


class BlockDelta(Struct, frozen=True, gc=False):
    index: int
    delta: Delta


class OddDelta(Struct, frozen=True, gc=False):
    """A delta whose fields are not what we know by their names. Whether it matters depends on its type."""

    delta: Typed = Typed()


class BlockStart(Struct, frozen=True, gc=False):
    index: int
    # Whole, since some blocks have to go back as they came.
    content_block: dict[str, Json]


class BlockStop(Struct, frozen=True, gc=False):
    index: int


class Message(Struct, frozen=True, gc=False):
    id: str | None = None
    model: str | None = None
    usage: Raw = Raw(b"null")


class MessageStart(Struct, frozen=True, gc=False):
    message: Message = Message()


class StopDetails(Struct, frozen=True, gc=False):
    category: str | None = None
    explanation: str | None = None


class Stopping(Struct, frozen=True, gc=False):
    stop_reason: str | None = None
    stop_details: StopDetails | None = None


class MessageDelta(Struct, frozen=True, gc=False):
    delta: Stopping = Stopping()
    usage: Raw = Raw(b"null")


class Problem(Struct, frozen=True, gc=False):
    type: str | None = None
    message: str | None = None


class Error(Struct, frozen=True, gc=False):
    error: Problem = Problem()
