"""Watching one chat: listen first, then read, then look again whenever the bell rings.

A viewer takes what is new when it has sent what it had. So a slow one gets larger batches and
holds up no other, and a burst wakes each of them once.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

import structlog

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.errors import ChatdError, NotFound, Unavailable
from chatd.hints.hint import ChatChanged, ChatDeleted, ChildChanged, Hint
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.board import Board, Episode
from chatd.live.episodes.episode import Said
from chatd.live.episodes.relay import recall
from chatd.live.episodes.waits import HeldUp
from chatd.live.events import Batch, ViewerEvent
from chatd.live.kinds import FULL, Shapes
from chatd.live.viewer import Viewer
from chatd.storage.database import Pace
from chatd.storage.reads.authors import read_names
from chatd.storage.reads.chunks import Opening, newest
from chatd.storage.reads.read import Snapshot, read_snapshot
from chatd.storage.transactions.families import NO_CHILDREN, read_all_children
from chatd.storage.transactions.recent import Recent
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

T = TypeVar("T")

READ_ATTEMPTS_MAX = 5
READ_FIRST_SECONDS = 0.1
READ_LONGEST_SECONDS = 1.0
FIRST_ATTEMPT = 1
# While the database is away: between two looks whether it is back.
AWAY_SECONDS = 1.0


def watch(
    store: Store,
    board: Board,
    clock: Clock,
    chat_id: ChatId,
    *,
    cursor: str | None,
    bell: Bell,
    shapes: Shapes = FULL,
) -> AsyncIterator[Batch]:
    """Everything about one chat that comes after the cursor, until the bell says that it is over."""
    return watch_as(store, board, clock, Viewer.at(chat_id, cursor, shapes=shapes), bell=bell)


async def watch_as(
    store: Store, board: Board, clock: Clock, viewer: Viewer, *, bell: Bell, opening: Opening = newest
) -> AsyncIterator[Batch]:
    """Everything that this viewer does not know yet. `opening` reads what they are told at first.

    One batch for each time the bell rings, so some are empty. Raises NotFound instead of the first one
    when there is no such chat, and whatever the database says when it keeps failing. One that goes away later
    is waited for: meanwhile what is said here is told, and that what others say comes late.
    """
    chat_id, recent = viewer.chat_id, store.recent or Recent()
    with (
        store.hints.listening_to_chat(chat_id, bell) as hints,
        board.following(chat_id, bell),
        recent.watching(chat_id),
    ):
        watching = _Watching(store, board, clock, viewer, recent, opening)
        batch = await watching.look()
        if batch is None:
            raise NotFound("chat_not_found", f"There is no chat {chat_id!r}.")
        yield batch
        # While nothing happens, keep nothing of what was sent.
        del batch
        while (watching.has_more and not bell.over) or await bell.wait():
            try:
                batch = await watching.look_again(hints.take())
            except Unavailable:
                batch = watching.stay(bell)
            if batch is None:
                yield Batch((watching.viewer.bid_farewell(),))
                return
            yield batch
            del batch


class _Watching:
    """One viewer, and where what they see comes from."""

    def __init__(  # noqa: PLR0917 - where what they see comes from
        self, store: Store, board: Board, clock: Clock, viewer: Viewer, recent: Recent, opening: Opening
    ) -> None:
        self.viewer = viewer
        self._opening = opening
        self._recent = recent
        self._store = store
        self._board = board
        self._clock = clock
        # For which attempt on which history we asked the part log.
        self._asked = (0, 0)
        self._held_up: HeldUp | None = None
        self._paused = False
        # When to look again at what could not be read, by the monotonic clock; None: nothing was missed.
        self._look_at: float | None = None
        # What is to be told next, whatever can be read beside it.
        self._untold: list[ViewerEvent] = []
        # Of the snapshot in there, if there is one: who may not see it any more is not told.
        self._access = 0
        # The chat as it was last seen, and the chats that work for it.
        self._chat: Chat | None = None
        self._children = NO_CHILDREN

    @property
    def has_more(self) -> bool:
        """Whether there is more to read at once."""
        return self.viewer.behind and self._look_at is None

    def stay(self, bell: Bell) -> Batch:
        """The database is away. What is said here is told all the same, and the rest when it is back."""
        self._look_at = self._clock.monotonic() + AWAY_SECONDS
        asyncio.get_running_loop().call_later(AWAY_SECONDS, bell.ring)
        return self._heard()

    def _heard(self) -> Batch:
        """What was said since, after what else there is to tell."""
        # Before parts: the cursor of an event must not cover more than was sent before it.
        noted, self._untold = (*self._untold, *self._wait()), []
        access, self._access = self._access, 0
        heard = self.viewer.hear(self._said())
        if not noted and not access:
            return heard
        return Batch((*noted, *heard.events), heard.parts, heard.cursor_end, access)

    async def look_again(self, hints: Sequence[Hint]) -> Batch | None:
        """What is new. None: the chat is gone."""
        viewer = self.viewer
        if self._look_at is not None:
            # Whatever the hints say, it is found then.
            return await self.look() if self._clock.monotonic() >= self._look_at else self._heard()
        if viewer.behind or any(isinstance(hint, ChatDeleted) for hint in hints):
            return await self.look()
        wanted = [hint.snapshot for hint in hints if isinstance(hint, ChatChanged) and viewer.wants(hint)]
        if not wanted:
            # A hint that is not newer is a child's, or says that one may have been lost.
            self._untold += await self._look_at_children() if hints else ()
            return self._heard()
        known_here = self._recent.since(
            viewer.chat_id, viewer.snapshot, newest=max(wanted), queue_since=viewer.known.queue
        )
        if known_here is None or any(isinstance(hint, ChildChanged) for hint in hints):
            return await self.look()
        versions = known_here.chat.versions
        if versions.attempt <= FIRST_ATTEMPT:
            # Begun by this process: whatever is said in it is on our board, and nothing came before it.
            self._asked = (versions.history, versions.attempt)
        return await self._tell(known_here)

    async def look(self) -> Batch | None:
        snapshot = await self._read()
        if snapshot is not None and not self.viewer.fits(snapshot):
            self.viewer.begin_anew()
            snapshot = await self._read()
        told = None if snapshot is None else await self._tell(snapshot, looks=True)
        self._look_at = None
        return told

    async def _tell(self, snapshot: Snapshot, *, looks: bool = False) -> Batch:
        unnamed = self.viewer.unnamed(snapshot)
        authors = await self._patiently(lambda: read_names(self._store.db, unnamed)) if unnamed else ()
        self._untold += self.viewer.see(snapshot, authors)
        self._access = snapshot.chat.versions.access
        self._chat = snapshot.chat
        if looks or snapshot.chat.children != self._children.count:
            self._untold += await self._look_at_children()
        await self._recall(snapshot.chat.versions.attempt)
        return self._heard()

    def _wait(self) -> tuple[ViewerEvent, ...]:
        """What the agent or its viewers wait for, if that has changed."""
        held_up = self._board.waits.shown.get(self.viewer.chat_id)
        paused = self._pause() if self._paused or self._board.is_paused(self.viewer.chat_id) else ()
        if held_up is self._held_up:
            return paused
        self._held_up = held_up
        return (self.viewer.see_wait(held_up), *paused)

    def _pause(self) -> tuple[ViewerEvent, ...]:
        """Whether what another process says may come late, if that has changed."""
        driver, viewer = self._store.driver, self.viewer
        driven_here = driver is not None and driver.drives(viewer.chat_id)
        paused = self._board.is_paused(viewer.chat_id) and viewer.speaking and not driven_here
        if paused == self._paused:
            return ()
        self._paused = paused
        return (viewer.see_pause(paused=paused),)

    async def _look_at_children(self) -> tuple[ViewerEvent, ...]:
        """Who works for the chat, if that has changed."""
        chat = self._chat
        if chat is None or not chat.children:
            return ()
        found = await self._patiently(lambda: read_all_children(self._store.db, (chat,)))
        if found[chat.id] == self._children:
            return ()
        self._children = found[chat.id]
        return (self.viewer.see_children(self._children),)

    def _said(self) -> Sequence[Said]:
        """What the newest attempt that spoke has said beyond what the viewer knows."""
        known = self.viewer.known
        episode = self._newest_spoken()
        if episode is None:
            return ()
        return episode.since(known.seq if episode.key.attempt == known.preview_attempt else 0)

    async def _recall(self, attempt: int) -> None:
        """No part of this attempt is on our board: the log may have parts. Asked once for each attempt.

        What is logged later is announced.
        """
        asked = (self.viewer.known.history, attempt)
        if not self.viewer.speaking or self._asked == asked:
            return
        episode = self._newest_spoken()
        if episode is None or episode.key.attempt < attempt:
            await recall(self._store.db, self._board, self.viewer.chat_id, asked[0])
        self._asked = asked

    def _newest_spoken(self) -> Episode | None:
        viewer = self.viewer
        if not viewer.speaking:
            return None
        return self._board.newest_spoken(viewer.chat_id, viewer.known.history)

    async def _read(self) -> Snapshot | None:
        known = self.viewer.known
        return await self._patiently(
            lambda: read_snapshot(
                self._store.db,
                self.viewer.chat_id,
                since=known.since,
                place=known.place,
                queue_since=known.queue,
                opening=self._opening,
                # Between two looks little happens; before the first one, anything.
                pace=Pace.QUICK if self.viewer.snapshot and not self.viewer.behind else Pace.USUAL,
            )
        )

    async def _patiently(self, read: Callable[[], Awaitable[T]]) -> T:
        """A database that fails now and then does not end a stream."""
        pause = READ_FIRST_SECONDS
        for attempt in range(1, READ_ATTEMPTS_MAX + 1):
            try:
                return await read()
            except (ChatdError, AssertionError, Unavailable):
                # One that is away takes longer than that to come back.
                raise
            except Exception:
                if attempt == READ_ATTEMPTS_MAX:
                    raise
                log.warning("viewer.read_failed", chat_id=self.viewer.chat_id, attempt=attempt, exc_info=True)
            await self._clock.sleep(pause)
            pause = min(pause * 2, READ_LONGEST_SECONDS)
        raise AssertionError("unreachable: the last attempt returns or raises")
