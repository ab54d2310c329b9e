"""Segments: adjacent pieces of one kind, kept as one part (pure).

A model says a word at a time. What surrounds a word is many times as large as the word, so an episode keeps
what was said for longer than a moment in segments: all of the words, and how long each piece was.
"""

from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Text
from chatd.kit.codec import encode
from chatd.live.episodes.episode import WORDS, LivePart, Spoken, ToolCallPiece, ToolResultPiece, with_words

# A viewer that comes late is sent a long reply in parts of about this size.
SEGMENT_CHARACTERS_MAX = 16 * 1024


class Segment:
    """Pieces that are still being said."""

    __slots__ = ("_begun", "_characters", "_first", "_kind", "_pieces", "_role", "_words", "envelope_bytes")

    def __init__(self, first: int, role: Role, part: LivePart) -> None:
        self._words = WORDS[type(part)]
        words: str = getattr(part, self._words)
        # What surrounds the words of each piece, as JSON.
        self.envelope_bytes = len(encode(with_words(part, "")))
        self._first = first
        self._role = role
        self._kind = type(part)
        self._begun = part
        self._pieces = [words]
        self._characters = len(words)

    def takes(self, role: Role, part: LivePart) -> bool:
        """Whether the part goes on with what was said here."""
        return (
            type(part) is self._kind
            and role is self._role
            and self._characters < SEGMENT_CHARACTERS_MAX
            and (self._kind is Text or _continues(self._begun, part))
        )

    def add(self, part: LivePart) -> None:
        words: str = getattr(part, self._words)
        self._pieces.append(words)
        self._characters += len(words)

    def spoken(self) -> Spoken:
        pieces = self._pieces
        if len(pieces) == 1:
            return Spoken(self._first, self._role, self._begun)
        seq = self._first + len(pieces) - 1
        part = with_words(self._begun, "".join(pieces))
        return Spoken(seq, self._role, part, tuple(map(len, pieces)))


def _continues(begun: LivePart, part: LivePart) -> bool:
    match begun, part:
        case Reasoning(created_at=one), Reasoning(created_at=other, completed_at=None):
            return one == other
        case ToolCallPiece(tool_call_id=one, tool_name=tool), ToolCallPiece() as other_piece:
            return (one, tool) == (other_piece.tool_call_id, other_piece.tool_name)
        case (
            ToolResultPiece(tool_call_id=one, tool_name=tool),
            ToolResultPiece(result_reset=False, started_at=None) as shown,
        ):
            return (one, tool) == (shown.tool_call_id, shown.tool_name)
        case _:
            return False
