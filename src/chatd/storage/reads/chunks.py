"""A history for viewers, in chunks: no read is larger than a chunk, however long a chat has become.

A few messages are read as they are. Where there are more, their sizes are read first, and then as many of
them as fit.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Message
from chatd.storage.database import Connection
from chatd.storage.rows import message_of

# Messages, and characters of JSON, of one chunk. A message that is larger by itself is a chunk of its own.
CHUNK_MESSAGES_MAX = 200
CHUNK_CHARACTERS_MAX = 512 * 1024
# So many are read without a look at their sizes: more seldom change at once.
FEW_MESSAGES = 8

LAST_ID = MessageId(2**63 - 1)

# Where a row of the history stands: its revision, 0 for a tombstone and 1 for a message, its id.
HistoryPlace: TypeAlias = tuple[int, int, int]
# Instead of 0 or 1, in the place of a viewer who is still being told what was there when they came: up to
# this id they know it.
OPENING = 2


class Chunk(Struct, frozen=True):
    messages: tuple[Message, ...] = ()
    more: bool = False


# Reads what a viewer is told at first, oldest first.
Opening: TypeAlias = Callable[[Connection, ChatId], Awaitable[Chunk]]


async def newest(tx: Connection, chat_id: ChatId, before: MessageId = LAST_ID) -> Chunk:
    """The end of the history, oldest first, and whether there are messages before it."""
    # Their sizes first, however few there are: an imported message may be as large as a whole import.
    chunk = await _chunk(tx, "messages_before", "newest_sizes", chat_id, before, MessageId(0), few=0)
    return Chunk(chunk.messages[::-1], chunk.more)


async def opening_after(tx: Connection, chat_id: ChatId, known: MessageId, version: int) -> Chunk:
    """What was there at this version and has not changed since, from the first message that is not known."""
    return await _chunk(tx, "opening_chunk", "opening_sizes", chat_id, known, version)


async def changed_after(tx: Connection, chat_id: ChatId, since: int, place: HistoryPlace) -> Chunk:
    """What has changed after a revision that is known whole, and after a place beyond it."""
    few = await tx.all("messages_since", chat_id, since, FEW_MESSAGES + 1)
    if len(few) <= FEW_MESSAGES:
        return Chunk(tuple(message_of(row) for row in few))
    after: HistoryPlace = max(place, (since, 1, LAST_ID))
    return await _chunk(tx, "changed_chunk", "changed_sizes", chat_id, *after, few=0)


async def _chunk(tx: Connection, rows: str, sizes: str, *where: object, few: int = FEW_MESSAGES) -> Chunk:
    if few:
        found = await tx.all(rows, *where, few + 1)
        if len(found) <= few:
            return Chunk(tuple(message_of(row) for row in found))
    lengths = [int(row[0]) for row in await tx.all(sizes, *where, CHUNK_MESSAGES_MAX + 1)]
    fitting = how_many_fit(lengths)
    found = await tx.all(rows, *where, fitting)
    return Chunk(tuple(message_of(row) for row in found), len(lengths) > fitting)


def how_many_fit(lengths: Sequence[int]) -> int:
    """At least one, if there is one."""
    within = sum(total <= CHUNK_CHARACTERS_MAX for total in accumulate(lengths))
    return min(max(within, 1), CHUNK_MESSAGES_MAX, len(lengths))
