"""The part log: what is said on the board goes to the database once per tick, all episodes together.

So a crash loses at most one tick of a half-said reply. A reply that is said and saved within a tick
never touches the log. While there are other processes the tick is short, and they are told what was logged:
their viewers read it (`relay.py`).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
import structlog
from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.domain.part import File, Reasoning, Source, Text, ToolCall, ToolResult
from chatd.hints.hint import ChatChanged, ChatDeleted, ChildChanged, Hint, PartsLogged, WorkWaiting
from chatd.kit.clock import Clock
from chatd.kit.codec import Decoder, encode_text
from chatd.live.episodes.board import Board, Episode
from chatd.live.episodes.episode import EpisodeKey, Overflow, Spoken, ToolCallPiece, ToolResultPiece
from chatd.storage.database import Database
from chatd.storage.tables.parts import Attempt, LoggedBatch, forget_stale_parts, log_parts, read_logged
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

INTERVAL_SECONDS = 1.0
# The tick while other processes may have viewers.
RELAY_SECONDS = 0.025
# While there are others, one of them may have died and left parts that no process knows of.
SWEEP_SECONDS = 60.0
# Where nothing happens: how often to look for what is over.
LOOK_SECONDS = 5.0

_Whole: TypeAlias = Text | Reasoning | ToolCall | ToolResult | Source | File
_Piece: TypeAlias = ToolCallPiece | ToolResultPiece

# Later than any version of a history.
_BEYOND = 2**62


class _Logged(Struct, frozen=True, array_like=True, omit_defaults=True):
    """Spoken parts as they are logged. A piece and a whole share their tag, so it is said which this is."""

    seq: int
    role: Role
    # When it was said, and what only its provider may see: no longer written, and still read past.
    at: int
    whole: bool
    # None: from here on, nothing more is shown of the episode.
    part: Any
    internal: Any = None
    lengths: tuple[int, ...] = ()


_batch: Decoder[list[_Logged]] = Decoder(list[_Logged])


class PartLog:
    """Writes the board's episodes down, and removes what was saved or said anew."""

    def __init__(
        self, store: Store, board: Board, clock: Clock, *, interval_seconds: float = INTERVAL_SECONDS
    ) -> None:
        self._store = store
        self._board = board
        self._clock = clock
        self._interval_seconds = interval_seconds
        # How far each episode is written; only of episodes that the board still has.
        self._written: dict[EpisodeKey, int] = {}
        # The newest attempt of each chat that has rows.
        self._logged: dict[ChatId, Attempt] = {}
        self._flushing = asyncio.Lock()

    async def run(self) -> None:
        """Until cancelled. The worker flushes once more before it hands its chats over."""
        hints, bell = self._store.hints, self._board.unlogged
        with hints.listening(bell) as inbox:
            begun, swept_at = await self._try_to_begin(), self._clock.monotonic()
            while await bell.wait():
                await self._next_tick()
                if not hints.is_alone and self._clock.monotonic() - swept_at > SWEEP_SECONDS:
                    begun, swept_at = False, self._clock.monotonic()
                begun = begun or await self._try_to_begin()
                self._board.sweep()
                await self._try_to_flush(inbox.take())

    async def run_looks(self) -> None:
        """Until cancelled. In quiet times, too, the board forgets and what others left is removed."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            self._board.unlogged.ring()

    async def _next_tick(self) -> None:
        """Ticks come at regular times, whenever it was that there was something to write."""
        tick = self._interval_seconds if self._store.hints.is_alone else RELAY_SECONDS
        await self._clock.sleep(tick - self._clock.monotonic() % tick)

    async def flush(self, hints: Sequence[Hint] = ()) -> None:
        """Write what is new, and remove what these hints say is saved by now. One transaction, if any.

        One after the other: the worker hands its chats over when this returns, and what another flush has
        taken from the board must be written by then.
        """
        async with self._flushing:
            await self._flush(hints)

    async def _flush(self, hints: Sequence[Hint]) -> None:
        histories = _histories(hints)
        for chat_id, history in histories.items():
            self._board.forget_mirrors(chat_id, before=history)
        episodes = self._board.take_unlogged()
        current = [each for each in episodes if each.key.history >= histories.get(each.key.chat_id, 0)]
        batches = [batch for each in current if (batch := self._batch(each)) is not None]
        newest = self._replaced(batches) | self._saved(histories)
        if not batches and not newest:
            return
        try:
            torn = await log_parts(self._store.db, batches, newest)
            self._note([batch for batch in batches if batch not in torn], histories)
            await self._write_anew(torn)
        except BaseException:
            self._board.put_back(current)
            raise

    async def _write_anew(self, torn: Sequence[LoggedBatch]) -> None:
        """What was written of these episodes is gone: they are written from their beginning."""
        if not torn:
            return
        log.warning("parts.lost", episodes=len(torn))
        keys = [EpisodeKey(batch.chat_id, batch.history, batch.attempt) for batch in torn]
        for key in keys:
            self._written.pop(key, None)
        episodes = [episode for key in keys if (episode := self._board.find(key)) is not None]
        batches = [batch for episode in episodes if (batch := self._batch(episode)) is not None]
        await log_parts(self._store.db, batches, {})
        self._note(batches, {})

    async def _try_to_begin(self) -> bool:
        """Remove parts that no viewer is shown any more, and learn what is there. A failure costs a tick."""
        try:
            self._logged = await forget_stale_parts(self._store.db) | self._logged
        except Exception:
            log.warning("parts.not_swept", exc_info=True)
            self._board.unlogged.ring()
            return False
        return True

    async def _try_to_flush(self, hints: Sequence[Hint]) -> None:
        """A database that fails costs a tick of the preview, and never the server."""
        try:
            await self.flush(hints)
        except Exception:
            log.warning("parts.not_logged", exc_info=True)

    def _batch(self, episode: Episode) -> LoggedBatch | None:
        key, written = episode.key, self._written.get(episode.key, 0)
        fresh: list[Spoken | Overflow] = [*episode.spoken_since(written)]
        if episode.overflowed and written < episode.count:
            fresh.append(Overflow(episode.count))
        if not fresh:
            return None
        return LoggedBatch(
            chat_id=key.chat_id,
            history=key.history,
            attempt=key.attempt,
            first_seq=written + 1,
            count=fresh[-1].seq - written,
            parts=encode_text([_logged(each) for each in fresh]),
        )

    def _replaced(self, batches: Sequence[LoggedBatch]) -> dict[ChatId, Attempt]:
        """Attempts that speak for the first time: what earlier ones said is over, in any process."""
        return {
            batch.chat_id: (batch.history, batch.attempt)
            for batch in batches
            if self._logged.get(batch.chat_id) not in (None, (batch.history, batch.attempt))
            or (batch.first_seq == 1 and batch.attempt > 1)
        }

    def _saved(self, histories: Mapping[ChatId, int]) -> dict[ChatId, Attempt]:
        """Chats with rows of a history that has moved on since."""
        return {
            chat_id: (history, 0)
            for chat_id, history in histories.items()
            if chat_id in self._logged and self._logged[chat_id][0] < history
        }

    def _note(self, batches: Sequence[LoggedBatch], histories: Mapping[ChatId, int]) -> None:
        for chat_id in self._saved(histories):
            del self._logged[chat_id]
        for batch in batches:
            key, last = (
                EpisodeKey(batch.chat_id, batch.history, batch.attempt),
                batch.first_seq + batch.count - 1,
            )
            self._written[key] = last
            self._logged[batch.chat_id] = (batch.history, batch.attempt)
            self._store.hints.announce(
                PartsLogged(chat_id=key.chat_id, history=key.history, attempt=key.attempt, seq=last)
            )
        self._written = {key: seq for key, seq in self._written.items() if self._board.find(key) is not None}


async def said_before(db: Database, chat_id: ChatId, history: int) -> tuple[int, tuple[Spoken, ...]]:
    """The newest attempt on this history that was logged, and what it said; 0 and nothing for none."""
    attempt, logged = await logged_before(db, chat_id, history)
    told: list[Spoken] = []
    for each in logged:
        # What was written anew may overlap with what was there.
        last = told[-1].seq if told else 0
        if isinstance(each, Spoken) and each.seq > last:
            told.append(each.after(last))
    return attempt, tuple(told)


async def logged_before(db: Database, chat_id: ChatId, history: int) -> tuple[int, list[Spoken | Overflow]]:
    """As `said_before`, and also that it has become too long."""
    attempt, batches = await read_logged(db, chat_id, history)
    return attempt, [each for batch in batches for each in decoded(batch)]


def decoded(batch: str) -> Iterator[Spoken | Overflow]:
    """What a batch of the log has."""
    return map(_entry, _batch.decode(batch))


def _logged(spoken: Spoken | Overflow) -> _Logged:
    if isinstance(spoken, Overflow):
        return _Logged(spoken.seq, Role.ASSISTANT, 0, whole=True, part=None)
    whole = not isinstance(spoken.part, ToolCallPiece | ToolResultPiece)
    return _Logged(spoken.seq, spoken.role, 0, whole, spoken.part, None, spoken.lengths)


def _entry(row: _Logged) -> Spoken | Overflow:
    if row.part is None:
        return Overflow(row.seq)
    decoded = msgspec.convert(row.part, _Whole if row.whole else _Piece)
    return Spoken(row.seq, row.role, decoded, row.lengths)


def _histories(hints: Sequence[Hint]) -> dict[ChatId, int]:
    """Where the history of each chat is; of a deleted one, beyond any."""
    found: dict[ChatId, int] = {}
    for hint in hints:
        match hint:
            case ChatChanged(chat_id=chat_id, history=history):
                found[chat_id] = max(history, found.get(chat_id, 0))
            case ChatDeleted(chat_id=chat_id):
                found[chat_id] = _BEYOND
            case WorkWaiting() | ChildChanged():
                pass
    return found
