"""What other processes say, for viewers here: read from the part log, and mirrored on our board.

A process that has logged some more of an episode says so on the bus. What is watched here is then read, all
chats with one query, and added to the board piece by piece, as if it had been said here. So a viewer sees the
same parts with the same numbers wherever it is.

While the bus or the database is away, we look once a second. Viewers of what other processes say are told so,
unless it is over in a moment. The same for an episode that goes on without being announced: the process that
says it can write, and is not heard.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import structlog

from chatd.domain.ids import ChatId
from chatd.hints.hint import BusAway, HintsLost, PartsLogged
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.board import Board, Episode
from chatd.live.episodes.episode import EpisodeKey, Overflow, Spoken
from chatd.live.episodes.log import decoded, logged_before
from chatd.storage.database import Database
from chatd.storage.tables.parts import Place, logged_ends, read_logged_since
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

T = TypeVar("T")

# Without an announcement: how often to look how far the log is.
LOOK_SECONDS = 10.0
# While the bus or the database is away, and for what is being said and was not announced for so long.
RETRY_SECONDS = 1.0
# For how long one of them is away before viewers are told.
PAUSED_AFTER_SECONDS = 1.0
# Chats of one query, and what it may read of them: the rest is read with the next one.
READ_MAX = 500
READ_BYTES_MAX = 4 * 1024 * 1024


class Relay:
    def __init__(
        self,
        store: Store,
        board: Board,
        clock: Clock,
        *,
        read_bytes_max: int = READ_BYTES_MAX,
        paused_after_seconds: float = PAUSED_AFTER_SECONDS,
    ) -> None:
        self._read_bytes_max = read_bytes_max
        self._paused_after_seconds = paused_after_seconds
        self._store = store
        self._board = board
        self._clock = clock
        # What is known to be logged and not mirrored yet: the newest of each chat.
        self._wanted: dict[ChatId, PartsLogged] = {}
        self._look_again = False
        self._look_at_silent = False
        self._bell = Bell()
        self._fails = False
        # Tells viewers; there from the moment that something is away.
        self._pausing: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Until cancelled."""
        hints = self._store.hints
        with (
            hints.listening_to_news(PartsLogged, self.hear),
            hints.listening_to_news(HintsLost, lambda _: self.look_again()),
            hints.listening_to_news(BusAway, lambda _: self.look_again()),
        ):
            # It may have been away before we listened.
            self.look_again()
            while await self._bell.wait():
                await self._try_to_follow()

    async def run_looks(self) -> None:
        """The safety net under lost announcements. Also when we seem to be alone: others may not be heard."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            self.look_again()

    async def run_looks_at_silent(self) -> None:
        """The same for what is being said, more often."""
        while True:
            await self._board.mirroring.wait()
            await self._clock.sleep(RETRY_SECONDS)
            if not self._store.hints.is_away and self._board.silent_mirrors(RETRY_SECONDS):
                self.look_at_silent()

    def hear(self, logged: PartsLogged) -> None:
        """It is announced that some more is in the log."""
        episode = self._board.find(_key(logged))
        if episode is not None and episode.mirrored:
            self._board.note_announced(episode)
        self.note(logged)

    def note(self, logged: PartsLogged) -> None:
        """Some more is in the log. It is wanted if it is watched here, and was not said or mirrored here."""
        if not self._board.is_followed(logged.chat_id):
            return
        episode = self._board.find(_key(logged))
        if episode is not None and (not episode.mirrored or episode.count >= logged.seq):
            return
        known = self._wanted.get(logged.chat_id)
        if known is None or _place(known) < _place(logged):
            self._wanted[logged.chat_id] = logged
            self._bell.ring()

    def look_again(self) -> None:
        self._look_again = True
        self._bell.ring()

    def look_at_silent(self) -> None:
        self._look_at_silent = True
        self._bell.ring()

    async def follow(self) -> None:
        """Read what is wanted, and mirror it."""
        if self._look_at_silent:
            self._look_at_silent = False
            for some in _chunks(self._board.silent_mirrors(RETRY_SECONDS)):
                await self._mirror_silent(some)
        if self._look_again:
            self._look_again = False
            for place in await self._ends():
                self.note(_logged(EpisodeKey(place.chat_id, place.history, place.attempt), place.seq))
        while self._wanted:
            asked = [self._wanted.pop(chat_id) for chat_id in list(self._wanted)[:READ_MAX]]
            try:
                await self._mirror(asked)
            except BaseException:
                for each in asked:
                    self.note(each)
                raise

    async def _try_to_follow(self) -> None:
        """A database that fails costs time, and never the server."""
        try:
            await self.follow()
        except Exception:
            if not self._fails:
                log.warning("relay.failed", exc_info=True)
            self._fails = True
        else:
            self._fails = False
        if self._fails or self._store.hints.is_away:
            self._pause_soon()
            await self._clock.sleep(RETRY_SECONDS)
            self.look_again()
        else:
            self._resume()

    def _pause_soon(self) -> None:
        if self._pausing is None:
            loop = asyncio.get_running_loop()
            self._pausing = loop.call_later(
                self._paused_after_seconds, partial(self._board.pause, paused=True)
            )

    def _resume(self) -> None:
        if self._pausing is not None:
            self._pausing.cancel()
            self._pausing = None
            self._board.pause(paused=False)

    async def _ends(self) -> list[Place]:
        chunks = _chunks(self._board.followed_chats())
        return [place for chunk in chunks for place in await logged_ends(self._store.db, chunk)]

    async def _mirror_silent(self, silent: Sequence[Episode]) -> None:
        known = [episode.count for episode in silent]
        await self._mirror(_logged(episode.key, episode.count) for episode in silent)
        for episode, count in zip(silent, known, strict=True):
            if episode.count > count:
                self._board.note_unannounced(episode)

    async def _mirror(self, asked: Iterable[PartsLogged]) -> None:
        wanted = {each.chat_id: each for each in asked}
        keys = {chat_id: _key(each) for chat_id, each in wanted.items()}
        places = [Place(key.chat_id, key.history, key.attempt, self._mirrored(key)) for key in keys.values()]
        read = await read_logged_since(self._store.db, places, bytes_max=self._read_bytes_max)
        for chat_id, batch in read.batches:
            mirror(self._board, keys[chat_id], decoded(batch))
        if not read.is_cut:
            return
        seen = {chat_id for chat_id, _ in read.batches}
        for place in places:
            # One that was read and gets no further has a hole. Asked for again, it would be so for ever.
            if place.chat_id not in seen or self._mirrored(keys[place.chat_id]) > place.seq:
                self.note(wanted[place.chat_id])

    def _mirrored(self, key: EpisodeKey) -> int:
        episode = self._board.find(key)
        return episode.count if episode is not None else 0


async def recall(db: Database, board: Board, chat_id: ChatId, history: int) -> None:
    """Mirror what the newest attempt on this history has logged: by another process, or one before us."""
    attempt, logged = await logged_before(db, chat_id, history)
    if logged:
        mirror(board, EpisodeKey(chat_id, history, attempt), logged)


def mirror(board: Board, key: EpisodeKey, logged: Iterable[Spoken | Overflow]) -> None:
    """Add what follows what is known, up to the first hole. What comes after one could be anything."""
    if not board.is_followed(key.chat_id):
        return
    was_closed = board.reopen_unsaid(key)
    _fill(board, key, logged)
    if was_closed:
        board.close(key)


def _fill(board: Board, key: EpisodeKey, logged: Iterable[Spoken | Overflow]) -> None:
    for each in logged:
        episode = board.find(key)
        known = episode.count if episode is not None else 0
        if each.seq <= known:
            continue
        if each.seq - (each.count if isinstance(each, Spoken) else 1) > known:
            return
        episode = board.mirror(key)
        if not episode.mirrored or episode.closed:
            return
        if isinstance(each, Overflow):
            episode.overflow()
            return
        for piece in each.after(known).pieces():
            episode.add(each.role, piece)


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many as one query asks for."""
    return (items[start : start + READ_MAX] for start in range(0, len(items), READ_MAX))


def _key(logged: PartsLogged) -> EpisodeKey:
    return EpisodeKey(logged.chat_id, logged.history, logged.attempt)


def _logged(key: EpisodeKey, seq: int) -> PartsLogged:
    return PartsLogged(chat_id=key.chat_id, history=key.history, attempt=key.attempt, seq=seq)


def _place(logged: PartsLogged) -> tuple[int, int, int]:
    return logged.history, logged.attempt, logged.seq
