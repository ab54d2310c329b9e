"""Who may go on watching: asked again now and then, and whenever that may have changed."""

from enum import Enum, auto

from chatd.api.chats.streams.stream import Opened, OtherView
from chatd.domain.ids import SECOND, Micros
from chatd.errors import Refused, Unavailable
from chatd.kit.concurrency.bell import Bell
from chatd.live.events import Batch
from chatd.live.live import Live

# How long a caller who was let in may watch before we look again. A change of which we hear counts at once.
ADMITTED_SECONDS = 10.0
# The same when we could not look.
UNASKED_SECONDS = 1.0


class Ending(Enum):
    NOTHING_MORE = auto()
    REFUSED = auto()
    OTHER_VIEW = auto()


class Admission:
    """Whether the caller of a stream may still watch: asked again now and then, when something that they may
    ends by itself, and after each change of which we hear or read.
    """

    def __init__(self, live: Live, bell: Bell, opened: Opened, *, changes: int) -> None:
        """`changes` is how many there were before the caller was looked up."""
        self.farewell = opened.farewell
        self._ask_again = opened.ask_again
        self._clock, self._streams = live.clock, live.streams
        self._bell = bell
        self._access = opened.access
        self._changes = changes
        self._ask_until(opened.until)

    def _ask_until(self, end: Micros | None = None, *, seconds: float = ADMITTED_SECONDS) -> None:
        if end is not None:
            seconds = min(seconds, max(0, end - self._clock.now_micros()) / SECOND)
        self._until = self._clock.monotonic() + seconds
        self._streams.ask_at(self._bell, self._until)

    def _is_recent(self) -> bool:
        if self._changes != self._streams.changes:
            if self._streams.is_concerned(self._bell, self._changes):
                return False
            self._changes = self._streams.changes
        return self._clock.monotonic() < self._until

    async def ending(self, batch: Batch) -> Ending | None:
        """Why this must not be told; None: it may be."""
        moved = batch.access not in (0, self._access)
        if self._is_recent() and not moved:
            return None
        # Before we look: what changes meanwhile is looked at again.
        self._changes = self._streams.changes
        try:
            until = await self._ask_again(moved)
        except Refused:
            return Ending.REFUSED
        except OtherView:
            return Ending.OTHER_VIEW
        except Unavailable:
            # We cannot look now. They were let in a moment ago; but what moved is not told unasked.
            self._ask_until(seconds=UNASKED_SECONDS)
            return Ending.OTHER_VIEW if moved else None
        self._access = batch.access or self._access
        self._ask_until(until)
        return None
