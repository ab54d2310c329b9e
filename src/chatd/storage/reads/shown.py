"""A history for those who are shown a part of it: pages of that part, however much lies between.

So what a page holds does not tell how much was left out; but what is read for one is bounded, and beyond that
it is shorter.
"""

from collections.abc import Callable
from typing import TypeAlias

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Message
from chatd.storage.database import Connection
from chatd.storage.reads.chunks import CHUNK_CHARACTERS_MAX, Chunk, newest

# What is read for one page: so many chunks, each of at most 200 messages and half a mebibyte.
CHUNKS_MAX = 8

# The bytes of a message as it is shown; 0: it is not.
ShownSize: TypeAlias = Callable[[Message], int]


async def shown_before(
    tx: Connection, chat_id: ChatId, before: MessageId, shown_size: ShownSize, *, limit: int
) -> Chunk:
    """The newest messages before one that are shown, oldest first, and whether there may be more.

    If so, the next page goes on before the first of these, which then may be one that is not shown.
    """
    found: list[Message] = []
    size = 0
    for number in range(1, CHUNKS_MAX + 1):
        chunk = await newest(tx, chat_id, before)
        for message in reversed(chunk.messages):
            size += (added := shown_size(message))
            # So far and no further: then the last that was looked at tells where to go on.
            is_last = number == CHUNKS_MAX and chunk.more and message is chunk.messages[0]
            if added or is_last:
                found.append(message)
            if len(found) == limit or size >= CHUNK_CHARACTERS_MAX or is_last:
                return Chunk(tuple(found[::-1]), more=chunk.more or message is not chunk.messages[0])
        if not chunk.more:
            break
        before = chunk.messages[0].id
    return Chunk(tuple(found[::-1]))
