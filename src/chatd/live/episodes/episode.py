"""Episodes: the parts of one attempt, numbered from 1, bounded, closable.

An episode lives in the memory of the process that drives its chat. Publishing a part never waits
and never fails: a full or closed episode only means that less is shown.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.ids import CallId, ChatId
from chatd.domain.message import Role
from chatd.domain.part import File, Reasoning, RunBy, Source, Text, Timestamp, ToolCall, ToolResult
from chatd.kit.codec import encode


class EpisodeKey(Struct, frozen=True):
    chat_id: ChatId
    history: int
    attempt: int


class ToolCallPiece(
    Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="type", tag="tool-call"
):
    """Some more of a call's arguments."""

    tool_call_id: CallId
    args_delta: str
    tool_name: str = ""
    # Known as soon as the name is, unless the tool is the provider's.
    kind: RunBy | None = None


class ToolResultPiece(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="tool-result"
):
    """Some more of what a running tool shows; `result_reset` begins anew. The first says when it began."""

    tool_call_id: CallId
    tool_name: str
    result_delta: str
    result_reset: bool = False
    created_at: Timestamp | None = None
    started_at: Timestamp | None = None


# What can be said live: pieces, and parts as they will be saved.
LivePart: TypeAlias = (
    Text | Reasoning | ToolCall | ToolCallPiece | ToolResult | ToolResultPiece | Source | File
)


# What comes in pieces, and where the words of a piece are.
WORDS: Mapping[type[LivePart], str] = {
    Text: "text",
    Reasoning: "text",
    ToolCallPiece: "args_delta",
    ToolResultPiece: "result_delta",
}


def words_of(part: LivePart) -> str:
    words: str = getattr(part, WORDS[type(part)])
    return words


def with_words(part: LivePart, words: str, *, begins: bool = True) -> LivePart:
    """The same with other words. What does not begin a part does not reset one either, nor begin a call."""
    if isinstance(part, ToolResultPiece):
        return replace(
            part,
            result_delta=words,
            result_reset=part.result_reset and begins,
            started_at=part.started_at if begins else None,
        )
    return replace(part, **{WORDS[type(part)]: words})


class Spoken(Struct, frozen=True, gc=False):
    """Pieces of an episode that follow one another, as one part.

    Each piece keeps its number, so that a reader who knows some of them is given exactly the others.
    Not for the collector to look at: there are many, and no part leads back here.
    """

    # The number of the last piece.
    seq: int
    role: Role
    part: LivePart
    # Where there are several pieces, the characters of each.
    lengths: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        return len(self.lengths) or 1

    def after(self, seq: int) -> "Spoken":
        """Without the pieces up to this number, which is not the last one."""
        known = seq - self.seq + self.count
        if known <= 0:
            return self
        lengths = self.lengths[known:] if known < self.count - 1 else ()
        words = words_of(self.part)[sum(self.lengths[:known]) :]
        return Spoken(self.seq, self.role, with_words(self.part, words, begins=False), lengths)

    def pieces(self) -> Iterator[LivePart]:
        """Each piece as it was said."""
        if not self.lengths:
            yield self.part
            return
        words, start = words_of(self.part), 0
        for length in self.lengths:
            yield with_words(self.part, words[start : start + length], begins=not start)
            start += length


def spoken_after(spoken: Sequence[Spoken], seq: int) -> list[Spoken]:
    """Of these, in order, what comes after this piece."""
    start = bisect_right(spoken, seq, key=lambda each: each.seq)
    return [spoken[start].after(seq), *spoken[start + 1 :]] if start < len(spoken) else []


class Overflow(Struct, frozen=True, gc=False):
    """From this number on, nothing more of the episode is shown: it has become too long."""

    seq: int


# The types of the events that an entry can be.
PART: Literal["message_part"] = "message_part"
GAP: Literal["gap"] = "gap"


class Said(Struct, frozen=True, gc=False):
    """One entry of an episode as viewers get it: the JSON of its event, up to their cursor.

    The cursor begins with the place in the episode, and ends with what the viewer knew before it.
    """

    key: EpisodeKey
    # The number of its last piece.
    seq: int
    type: Literal["message_part", "gap"]
    begun: bytes
    # How many pieces it is made of.
    count: int = 1
    # What it is, for viewers who are shown less than its JSON has. Of a gap: nothing.
    role: Role | None = None
    part: LivePart | None = None

    @property
    def first(self) -> int:
        return self.seq - self.count + 1


class Surroundings:
    """What is the same in all events of one episode, as JSON: written once, and not for every word."""

    __slots__ = ("_after", "_before")

    def __init__(self, key: EpisodeKey) -> None:
        self._before = b'{"type":"message_part","chat_id":%b,"role":"' % encode(key.chat_id)
        self._after = b',"history_version":%d,"generation_attempt":%d,"seq":' % (key.history, key.attempt)

    def begun(self, seq: int, role: Role, part: bytes) -> bytes:
        """The event of a part, up to the viewer's cursor. The part is JSON already."""
        return b'%b%b","part":%b%b%d,"cursor":"%d.' % (
            self._before, role.encode(), part, self._after, seq, seq,
        )  # fmt: skip

    def said(self, key: EpisodeKey, spoken: Spoken) -> Said:
        """Pieces that are sent together."""
        event = self.begun(spoken.seq, spoken.role, encode(spoken.part))
        return Said(key, spoken.seq, PART, event, spoken.count, spoken.role, spoken.part)


def gap_begun(key: EpisodeKey, seq: int) -> bytes:
    """The event of a gap, up to the viewer's cursor."""
    return b'{"type":"gap","chat_id":%b,"what":"preview","cursor":"%d.' % (encode(key.chat_id), seq)
