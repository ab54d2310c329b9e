"""Pieces of a chat as text: one after the other they are what is shown."""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class Tone(StrEnum):
    USER = "user"
    TEXT = "text"
    REASONING = "reasoning"
    CALL = "call"
    TOOL = "tool"
    DIFF = "diff"
    NOTE = "note"
    ERROR = "error"


class Piece(Struct, frozen=True):
    tone: Tone
    text: str
    # Of Markdown: that all of it was said, so that what follows is none of its code or tables.
    ends: bool = False


END_OF_TEXT: Final = Piece(Tone.TEXT, "", ends=True)
