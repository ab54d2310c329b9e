"""Episodes: the parts of one attempt, numbered from 1, bounded, closable.

An episode lives in the memory of the process that drives its chat. Whoever speaks never waits
and never fails: a full or closed episode only means that less is shown.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from chatd.domain.ids import CallId, ChatId
from chatd.domain.message import Role
from chatd.domain.part import File, Json, Reasoning, Source, Text, Timestamp, ToolCall, ToolResult
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


class ToolResultPiece(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="tool-result"
):
    """Some more of what a running tool shows; `result_reset` begins anew."""

    tool_call_id: CallId
    tool_name: str
    result_delta: str
    result_reset: bool = False
    created_at: Timestamp | None = None


# What can be said live: pieces, and parts as they will be saved.
LivePart: TypeAlias = (
    Text | Reasoning | ToolCall | ToolCallPiece | ToolResult | ToolResultPiece | Source | File
)


class Spoken(Struct, frozen=True, gc=False):
    # Not for the collector to look at: there are very many, and no part leads back here.
    seq: int
    role: Role
    part: LivePart
    # Microseconds since 1970; when it was said, for the record of an interrupted reply.
    at: int = 0
    internal: Json = None


# The types of the events that an entry can be.
PART: Literal["message_part"] = "message_part"
GAP: Literal["gap"] = "gap"


class Said(Struct, frozen=True, gc=False):
    """One entry of an episode as viewers get it: the JSON of its event, up to their cursor.

    The cursor begins with the place in the episode, and ends with what the viewer knew before it.
    """

    key: EpisodeKey
    seq: int
    type: Literal["message_part", "gap"]
    begun: bytes


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


def gap_begun(key: EpisodeKey, seq: int) -> bytes:
    """The event of a gap, up to the viewer's cursor."""
    return b'{"type":"gap","chat_id":%b,"what":"preview","cursor":"%d.' % (encode(key.chat_id), seq)
