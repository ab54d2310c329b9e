"""A history as dialects write it down: prepared, repaired, with files at hand.

`prepare.py` makes these of messages. A dialect may rely on what it promises: calls and results are
pairs, results stand directly behind the calls they answer and in their order, arguments are objects,
ids are plain, no text is blank, and `internal` is only there when this very provider wrote it.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from chatd.domain.part import Json


class SaidText(Struct, frozen=True):
    # Blank only where `internal` has to go back.
    text: str
    internal: Json = None


class Thought(Struct, frozen=True):
    text: str
    internal: Json = None


class Attachment(Struct, frozen=True):
    """A file that the target takes as it is."""

    media_type: str
    data: bytes
    name: str | None = None


class Called(Struct, frozen=True):
    id: str
    tool: str
    args: dict[str, Json]
    # The provider ran it itself; its Returned is in the same turn.
    provider_executed: bool = False
    internal: Json = None


class Returned(Struct, frozen=True):
    id: str
    tool: str
    # What to tell the model: text, or JSON that the tool gave.
    output: Json
    is_error: bool = False
    provider_executed: bool = False
    # Pictures and documents that are part of the result.
    attachments: tuple[Attachment, ...] = ()
    internal: Json = None

    @property
    def text(self) -> str:
        return self.output if isinstance(self.output, str) else ""


TurnPart: TypeAlias = SaidText | Thought | Attachment | Called | Returned


class WireTurn(Struct, frozen=True):
    """What one role says in one message. Never without parts."""

    role: Literal["system", "user", "assistant", "tool"]
    parts: tuple[TurnPart, ...]
    # Of the whole reply: what this provider wants back with it.
    internal: Json = None
