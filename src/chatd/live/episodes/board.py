"""The board: what is being said right now in the chats that this process drives, or that are watched here.

Each episode is one list, shared by all viewers. Each viewer keeps its own place in it and takes
whatever is new; nothing is copied for it, and a slow viewer holds up no other. A part is encoded
once, as the beginning of the event that all viewers get; each of them adds only their cursor.

Only the newest parts are kept like that. What came before them is kept in segments, in which adjacent pieces
are one part: a viewer who comes late, or lags behind, gets the segments.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from prometheus_client import Counter

from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.kit.clock import Clock
from chatd.kit.codec import encode
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.episode import (
    GAP,
    PART,
    WORDS,
    EpisodeKey,
    LivePart,
    Said,
    Spoken,
    Surroundings,
    gap_begun,
    spoken_after,
)
from chatd.live.episodes.reply_bytes import ReplyBytes
from chatd.live.episodes.segment import Segment
from chatd.live.episodes.waits import Waits

# Counted as the JSON of what was said; what surrounds a piece counts once for each segment.
EPISODE_BYTES_MAX = 1024 * 1024
# The newest parts of an episode are kept one by one, at least so many and at most twice as many.
NEWEST_PARTS = 256
# How long one can still be read after it was closed; then it is history, or it is gone.
RETENTION_SECONDS = 15
# Closed episodes kept at most, however quickly they come.
CLOSED_MAX = 4096
# What was said in all of them. The oldest go first: what they said is most likely saved by now, and the part
# log has it until it is.
CLOSED_BYTES_MAX = 8 * 1024 * 1024
# Later than any version of a history.
_BEYOND = 2**62

DROPPED = Counter(
    "chatd_stream_buffer_dropped",
    "Replies that grew too long to be shown while they were spoken. They are shown when they are saved.",
)


class Kept(Protocol):
    """What an episode is the preview of: all of it, and not only what is shown."""

    def release(self) -> None: ...


class Episode:
    """What one attempt says. Speaking never waits and never fails."""

    def __init__(self, key: EpisodeKey, board: "Board", *, mirrored: bool = False) -> None:
        self.key = key
        # Another process says it, or has said it: here is what the part log has of it.
        self.mirrored = mirrored
        # When it was last announced that there is more of it, by the monotonic clock; and whether more was
        # found since without that.
        self.announced_at = board.monotonic()
        self.unannounced = False
        # By the monotonic clock, in seconds.
        self.closed_at: float | None = None
        self.model_started_at: float | None = None
        self.overflowed = False
        # The reply that is being said, for generation/save_interrupted.py if the model call is cancelled.
        self.reply: Kept | None = None
        # How many entries there are; after an overflow the last one is the gap.
        self.count = 0
        # The newest of them as viewers get them, and how many came before these.
        self._newest: list[Said] = []
        self._older = 0
        self._board = board
        self._surroundings = Surroundings(key)
        # All parts: in segments that have ended, and the one that goes on.
        self._ended: list[Spoken] = []
        self._segment: Segment | None = None
        self._gap: Said | None = None
        self._bytes = 0

    @property
    def size(self) -> int:
        """How much was said, as JSON."""
        return self._bytes

    @property
    def closed(self) -> bool:
        return self.closed_at is not None

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        return tuple(self.spoken_since(0))

    def add(self, role: Role, part: LivePart) -> None:
        """Publish one more part. A closed or overflowed episode drops it."""
        if self.closed_at is not None or self.overflowed:
            return
        seq = self.count + 1
        encoded = encode(part)
        segment = self._segment
        goes_on = segment is not None and segment.takes(role, part)
        # An empty piece takes some room, too.
        size = max(1, len(encoded) - segment.envelope_bytes) if segment and goes_on else len(encoded)
        if self._bytes + size > EPISODE_BYTES_MAX:
            if not self.mirrored:
                # Of a mirrored one the process that says it counts.
                DROPPED.inc()
            self.overflow()
            return
        self._bytes += size
        if segment and goes_on:
            segment.add(part)
        else:
            self._begin_segment(seq, role, part)
        self._say(Said(self.key, seq, PART, self._surroundings.begun(seq, role, encoded), 1, role, part))

    def overflow(self) -> None:
        """Tell viewers that the rest is not shown before it is saved."""
        if self.closed_at is None and not self.overflowed:
            self.overflowed = True
            seq = self.count + 1
            self._gap = Said(self.key, seq, GAP, gap_begun(self.key, seq))
            self._say(self._gap)

    def start_model(self) -> None:
        """Note when the provider was called."""
        if not self.closed:
            self.model_started_at = self._board.monotonic()

    def close(self) -> None:
        self._board.close(self.key)

    def since(self, seq: int) -> list[Said]:
        """Everything after this place. Exactly that, also where it lies within a segment."""
        if seq >= self._older:
            return self._newest[seq - self._older :]
        said = [self._surroundings.said(self.key, spoken) for spoken in self.spoken_since(seq)]
        return said if self._gap is None else [*said, self._gap]

    def spoken_since(self, seq: int) -> list[Spoken]:
        """The parts after this place, with adjacent pieces as one."""
        ended = spoken_after(self._ended, seq)
        going_on = [self._segment.spoken()] if self._segment is not None else []
        return [*ended, *spoken_after(going_on, seq)]

    def let_go(self) -> None:
        """The reply is saved, or void."""
        if self.reply is not None:
            self.reply.release()
            self.reply = None

    def settle(self) -> None:
        """Nothing more is said: the words are enough to keep."""
        self._end_segment()
        self._newest, self._older = [], self.count

    def _begin_segment(self, seq: int, role: Role, part: LivePart) -> None:
        self._end_segment()
        if type(part) in WORDS:
            self._segment = Segment(seq, role, part)
        else:
            self._ended.append(Spoken(seq, role, part))

    def _end_segment(self) -> None:
        if self._segment is not None:
            self._ended.append(self._segment.spoken())
            self._segment = None

    def _say(self, said: Said) -> None:
        self.count += 1
        newest = self._newest
        newest.append(said)
        if len(newest) >= 2 * NEWEST_PARTS:
            del newest[:NEWEST_PARTS]
            self._older += NEWEST_PARTS
        self._board.spoke(self)


class Board:
    """The episodes of this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.reply_bytes = ReplyBytes()
        self._episodes: dict[EpisodeKey, Episode] = {}
        self._of_chat: dict[ChatId, list[Episode]] = {}
        # In the order in which they were closed, and how much was said in them.
        self._closed: deque[Episode] = deque()
        self._closed_bytes = 0
        self._bells: dict[ChatId, set[Bell]] = {}
        # What the part log does not have yet: to be written, and being written. The bell rings for it.
        self.unlogged = Bell()
        self._unlogged: dict[EpisodeKey, Episode] = {}
        self._in_writing: dict[EpisodeKey, Episode] = {}
        self.waits = Waits(clock, self._ring)
        # What other processes say may come late: viewers of it are told. In all chats, or in these.
        self.paused = False
        self._late: set[ChatId] = set()
        # Episodes of other processes; the event is set while there are some.
        self._mirrors: dict[EpisodeKey, Episode] = {}
        self.mirroring = asyncio.Event()

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def open(self, key: EpisodeKey) -> Episode:
        """The episode of this key. One that was closed already stays closed: the first close wins."""
        self.sweep()
        episode = self._episodes.get(key)
        if episode is not None and episode.mirrored and not episode.closed:
            self._forget(episode)
            episode = None
        return episode or self._new(key)

    def mirror(self, key: EpisodeKey) -> Episode:
        """The episode of this key, to be filled with what the part log has, unless it is our own.

        What earlier attempts said is not needed any more when this one speaks.
        """
        episode = self._episodes.get(key)
        if episode is None:
            self.forget_mirrors(key.chat_id, before=key.history, attempt=key.attempt)
            episode = self._new(key, mirrored=True)
        return episode

    def reopen_unsaid(self, key: EpisodeKey) -> bool:
        """Whether it was closed here before anything was said in it, and is open again, to be mirrored.

        An interruption closes the episode of a process that is gone, and the part log has what it said.
        The caller closes it again.
        """
        episode = self._episodes.get(key)
        if episode is None or not episode.closed or episode.count:
            return False
        self._closed.remove(episode)
        self._forget(episode)
        return True

    def forget_mirrors(self, chat_id: ChatId, *, before: int = _BEYOND, attempt: int = 0) -> None:
        """Those of histories before this one, and of attempts before this one on it."""
        if not self._mirrors:
            return
        for episode in list(self._of_chat.get(chat_id, ())):
            key = episode.key
            if episode.mirrored and not episode.closed and (key.history, key.attempt) < (before, attempt):
                self._forget(episode)

    def close(self, key: EpisodeKey) -> None:
        """Nothing more is said in it. Closing twice is closing once; the unknown is created closed."""
        episode = self._episodes.get(key) or self._new(key)
        if episode.closed:
            return
        episode.closed_at = self.monotonic()
        episode.settle()
        self._closed.append(episode)
        self._closed_bytes += episode.size
        self.sweep()

    def spoken_bytes(self) -> tuple[int, int]:
        """How much was said in all episodes that are open, and in all that are closed and still kept."""
        in_all = sum(episode.size for episode in self._episodes.values())
        return in_all - self._closed_bytes, self._closed_bytes

    def find(self, key: EpisodeKey) -> Episode | None:
        return self._episodes.get(key)

    def parts(self, key: EpisodeKey) -> tuple[Spoken, ...]:
        """What was said in it so far; nothing when it is unknown."""
        episode = self._episodes.get(key)
        return episode.spoken if episode is not None else ()

    def model_started_at(self, key: EpisodeKey) -> float | None:
        episode = self._episodes.get(key)
        return episode.model_started_at if episode is not None else None

    def newest_spoken(self, chat_id: ChatId, history: int) -> Episode | None:
        """The latest attempt on this history that has said something."""
        newest = None
        # The newest are last, and older histories are of no interest: closed episodes stay for a while.
        for episode in reversed(self._of_chat.get(chat_id, ())):
            key = episode.key
            if key.history < history:
                break
            if (
                key.history == history
                and episode.count
                and (newest is None or key.attempt > newest.key.attempt)
            ):
                newest = episode
        return newest

    @contextmanager
    def following(self, chat_id: ChatId, bell: Bell) -> Iterator[None]:
        """The bell is rung whenever something is said in this chat."""
        bells = self._bells.setdefault(chat_id, set())
        bells.add(bell)
        try:
            yield
        finally:
            bells.discard(bell)
            if not bells and self._bells.get(chat_id) is bells:
                del self._bells[chat_id]
                self.forget_mirrors(chat_id)

    def is_followed(self, chat_id: ChatId) -> bool:
        return chat_id in self._bells

    def pause(self, *, paused: bool) -> None:
        if paused != self.paused:
            self.paused = paused
            for chat_id in self._bells:
                self._ring(chat_id)

    def is_paused(self, chat_id: ChatId) -> bool:
        return self.paused or chat_id in self._late

    def silent_mirrors(self, seconds: float) -> list[Episode]:
        """What other processes say, and have not announced anything of for so long."""
        oldest = self.monotonic() - seconds
        open_ones = (each for each in self._mirrors.values() if not (each.closed or each.overflowed))
        return [episode for episode in open_ones if episode.announced_at <= oldest]

    def note_announced(self, episode: Episode) -> None:
        episode.announced_at, episode.unannounced = self.monotonic(), False
        self._end_lateness(episode)

    def note_unannounced(self, episode: Episode) -> None:
        """More was found without an announcement. Once, that may be on its way; twice, they are lost."""
        if episode.unannounced and episode.key.chat_id not in self._late:
            self._late.add(episode.key.chat_id)
            self._ring(episode.key.chat_id)
        episode.unannounced = True

    def followed_chats(self) -> list[ChatId]:
        return list(self._bells)

    def spoke(self, episode: Episode) -> None:
        if not episode.mirrored:
            if not self._unlogged:
                self.unlogged.ring()
            self._unlogged[episode.key] = episode
        for bell in self._bells.get(episode.key.chat_id, ()):
            bell.ring_for_one_of_many()

    def take_unlogged(self) -> list[Episode]:
        """The episodes in which something was said since the last call."""
        self._in_writing, self._unlogged = self._unlogged, {}
        return list(self._in_writing.values())

    def put_back(self, episodes: Iterable[Episode]) -> None:
        """They are not logged after all."""
        self.unlogged.ring()
        self._unlogged = {episode.key: episode for episode in episodes} | self._unlogged

    def sweep(self) -> None:
        """Forget what was closed long enough ago. A viewer that still reads it holds the list itself."""
        while self._closed and (self._too_many() or self._is_over(self._closed[0])):
            self._forget(self._closed.popleft())

    def _is_over(self, episode: Episode) -> bool:
        """While the database is away, what was said is only here: the part log could not be written."""
        if episode.key in self._unlogged or episode.key in self._in_writing:
            return False
        return (episode.closed_at or 0) <= self.monotonic() - RETENTION_SECONDS

    def _too_many(self) -> bool:
        return len(self._closed) > CLOSED_MAX or self._closed_bytes > CLOSED_BYTES_MAX

    def _forget_mirror(self, episode: Episode) -> None:
        del self._mirrors[episode.key]
        if not self._mirrors:
            self.mirroring.clear()
        self._end_lateness(episode)

    def _end_lateness(self, episode: Episode) -> None:
        if episode.key.chat_id in self._late:
            self._late.discard(episode.key.chat_id)
            self._ring(episode.key.chat_id)

    def _ring(self, chat_id: ChatId) -> None:
        for bell in self._bells.get(chat_id, ()):
            bell.ring()

    def _new(self, key: EpisodeKey, *, mirrored: bool = False) -> Episode:
        episode = Episode(key, self, mirrored=mirrored)
        if mirrored:
            self._mirrors[key] = episode
            self.mirroring.set()
        self._episodes[key] = episode
        self._of_chat.setdefault(key.chat_id, []).append(episode)
        return episode

    def _forget(self, episode: Episode) -> None:
        key = episode.key
        if episode.closed:
            self._closed_bytes -= episode.size
        episode.let_go()
        if episode.mirrored:
            self._forget_mirror(episode)
        del self._episodes[key]
        family = self._of_chat[key.chat_id]
        family.remove(episode)
        if not family:
            del self._of_chat[key.chat_id]
