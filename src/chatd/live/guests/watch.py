"""Watching a chat as a guest: as others do, and told less."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial

from chatd.domain.ids import ChatId
from chatd.errors import NotFound
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.board import Board
from chatd.live.events import Batch, ChatGone
from chatd.live.guests.sight import Sight
from chatd.live.guests.telling import GuestTelling, GuestViewer
from chatd.live.watch import watch_as
from chatd.storage.database import Connection
from chatd.storage.reads.chunks import Chunk
from chatd.storage.reads.shown import shown_before
from chatd.storage.transactions.transact import Store

# What a guest is told at first; the rest is asked for.
OPENING_MESSAGES = 50


async def watch_as_guest(
    store: Store, board: Board, clock: Clock, chat_id: ChatId, sight: Sight, *, bell: Bell
) -> AsyncIterator[Batch]:
    """As `watch`, from the beginning. Raises NotFound when there is no such chat, or not any more."""
    telling, viewer = GuestTelling(sight), GuestViewer(chat_id, sight)
    watched = watch_as(store, board, clock, viewer, bell=bell, opening=partial(_opening, sight))
    async with aclosing(watched) as batches:  # type: ignore[type-var]  # it is a generator
        async for batch in batches:
            if any(isinstance(event, ChatGone) for event in batch.events):
                raise NotFound("chat_not_found", f"There is no chat {chat_id!r}.")
            yield telling.told(batch)


async def _opening(sight: Sight, tx: Connection, chat_id: ChatId) -> Chunk:
    return await shown_before(tx, chat_id, sight.end, sight.size, limit=OPENING_MESSAGES)
