"""The board: what is being said right now in the chats that this process drives.

Each episode is one list, shared by everyone who looks. Viewers keep their own place in it and take
whatever is new; nobody is copied to, and nobody who is slow holds up anybody else. A part is encoded
once, as the beginning of the event that all viewers get; each of them adds only their cursor.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from prometheus_client import Counter

from chatd.domain.ids import SECOND, ChatId
from chatd.domain.message import Role
from chatd.domain.part import Json
from chatd.kit.bell import Bell
from chatd.kit.clock import Clock
from chatd.kit.codec import encode
from chatd.live.episode import GAP, PART, EpisodeKey, LivePart, Said, Spoken, Surroundings, gap_begun

# Counted as the JSON of the events that viewers get.
EPISODE_BYTES_MAX = 1024 * 1024
# How long one can still be read after it was closed; then it is history, or it is gone.
RETENTION_SECONDS = 15
# Closed episodes kept at most, however quickly they come.
CLOSED_MAX = 4096

DROPPED = Counter(
    "chatd_stream_buffer_dropped",
    "Replies that grew too long to be shown while they were spoken. They are shown when they are saved.",
)


class Episode:
    """What one attempt says. Speaking never waits and never fails."""

    def __init__(self, key: EpisodeKey, board: "Board") -> None:
        self.key = key
        self.closed_at: int | None = None
        self.model_started_at: int | None = None
        self.overflowed = False
        # What viewers get, in order; after an overflow the last one is the gap.
        self.said: list[Said] = []
        self._board = board
        self._surroundings = Surroundings(key)
        self._spoken: list[Spoken] = []
        self._bytes = 0

    @property
    def closed(self) -> bool:
        return self.closed_at is not None

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        return tuple(self._spoken)

    def add(self, role: Role, part: LivePart, internal: Json = None) -> None:
        """Say one more part. In a closed or overflowed episode it is not heard."""
        if self.closed or self.overflowed:
            return
        seq = len(self.said) + 1
        event = self._surroundings.begun(seq, role, encode(part))
        if self._bytes + len(event) > EPISODE_BYTES_MAX:
            self.overflowed = True
            DROPPED.inc()
            self._say(Said(self.key, seq, GAP, gap_begun(self.key, seq)))
            return
        self._bytes += len(event)
        self._spoken.append(Spoken(seq, role, part, self._board.now(), internal))
        self._say(Said(self.key, seq, PART, event))

    def start_model(self) -> None:
        """Note when the provider was called."""
        if not self.closed:
            self.model_started_at = self._board.now()

    def close(self) -> None:
        self._board.close(self.key)

    def since(self, seq: int) -> list[Said]:
        """Everything after this place."""
        return self.said[seq:]

    def spoken_since(self, seq: int) -> list[Spoken]:
        return self._spoken[seq:]

    def _say(self, said: Said) -> None:
        self.said.append(said)
        self._board.spoke(self)


class Board:
    """The episodes of this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._episodes: dict[EpisodeKey, Episode] = {}
        self._of_chat: dict[ChatId, list[Episode]] = {}
        self._closed: deque[Episode] = deque()
        self._bells: dict[ChatId, set[Bell]] = {}
        self._unlogged: dict[EpisodeKey, Episode] = {}

    def now(self) -> int:
        return self._clock.now_micros()

    def open(self, key: EpisodeKey) -> Episode:
        """The episode of this key. One that was closed already stays closed: whoever closes first wins."""
        self.sweep()
        return self._episodes.get(key) or self._new(key)

    def close(self, key: EpisodeKey) -> None:
        """Nothing more is said in it. Closing twice is closing once; the unknown is created closed."""
        episode = self._episodes.get(key) or self._new(key)
        if episode.closed:
            return
        episode.closed_at = self.now()
        self._closed.append(episode)
        self.sweep()

    def find(self, key: EpisodeKey) -> Episode | None:
        return self._episodes.get(key)

    def parts(self, key: EpisodeKey) -> tuple[Spoken, ...]:
        """What was said in it so far; nothing when it is unknown."""
        episode = self._episodes.get(key)
        return episode.spoken if episode is not None else ()

    def model_started_at(self, key: EpisodeKey) -> int | None:
        episode = self._episodes.get(key)
        return episode.model_started_at if episode is not None else None

    def newest_spoken(self, chat_id: ChatId, history: int) -> Episode | None:
        """The latest attempt on this history that has said something."""
        newest = None
        for episode in self._of_chat.get(chat_id, ()):
            key = episode.key
            if (
                key.history == history
                and episode.said
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

    def spoke(self, episode: Episode) -> None:
        self._unlogged[episode.key] = episode
        for bell in self._bells.get(episode.key.chat_id, ()):
            bell.ring()

    def take_unlogged(self) -> list[Episode]:
        """The episodes in which something was said since the last call."""
        episodes, self._unlogged = list(self._unlogged.values()), {}
        return episodes

    def put_back(self, episodes: Iterable[Episode]) -> None:
        """They are not logged after all."""
        self._unlogged = {episode.key: episode for episode in episodes} | self._unlogged

    def sweep(self) -> None:
        """Forget what was closed long enough ago. Whoever still reads it has the list in hand."""
        limit = self.now() - RETENTION_SECONDS * SECOND
        while self._closed and (len(self._closed) > CLOSED_MAX or (self._closed[0].closed_at or 0) <= limit):
            self._forget(self._closed.popleft())

    def _new(self, key: EpisodeKey) -> Episode:
        episode = Episode(key, self)
        self._episodes[key] = episode
        self._of_chat.setdefault(key.chat_id, []).append(episode)
        return episode

    def _forget(self, episode: Episode) -> None:
        key = episode.key
        del self._episodes[key]
        family = self._of_chat[key.chat_id]
        family.remove(episode)
        if not family:
            del self._of_chat[key.chat_id]
