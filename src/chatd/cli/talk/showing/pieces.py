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
    # What a person is asked.
    ASKED = "asked"
    AGENT = "agent"
    ERROR = "error"


class Piece(Struct, frozen=True):
    tone: Tone
    text: str
    # Of Markdown: that all of it was said, so that what follows is none of its code or tables.
    ends: bool = False
    # Not saved yet: another attempt may say something else.
    is_preview: bool = False
    # What was previewed since the last text that is saved does not count.
    voids: bool = False
    # No part of what is being said: on a screen it stands above the row that is still open.
    beside: bool = False


END_OF_TEXT: Final = Piece(Tone.TEXT, "", ends=True)
VOID: Final = Piece(Tone.TEXT, "", voids=True)
