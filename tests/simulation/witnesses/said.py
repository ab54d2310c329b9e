"""Who said what on which history, put together after the story from what was witnessed."""

from collections.abc import Iterable

from chatd.domain.ids import ChatId
from tests.simulation.chaos import Fault
from tests.simulation.witnesses.chronicle import Chronicle
from tests.simulation.witnesses.overheard import Attempt

# The part log is written once a second, and a write takes a moment.
LOG_SECONDS = 1.1
# A call that stands still does so for at most this long.
FREEZE_SECONDS_MAX = 60.0


class Said:
    def __init__(self, chronicle: Chronicle, attempts: Iterable[Attempt], faults: list[Fault]) -> None:
        self.chronicle = chronicle
        self._faults = faults
        self._on: dict[tuple[ChatId, int], list[Attempt]] = {}
        for attempt in attempts:
            state = chronicle.attempted(
                attempt.chat_id, attempt.process, attempt.number, before=attempt.place
            )
            self._on.setdefault((attempt.chat_id, state.history), []).append(attempt)

    def on(self, chat_id: ChatId, history: int) -> list[Attempt]:
        """The attempts on the history with this version."""
        return self._on.get((chat_id, history), [])

    def all_on(self) -> Iterable[tuple[ChatId, int, list[Attempt]]]:
        """Each history of each chat, and the attempts on it."""
        return [(chat_id, history, attempts) for (chat_id, history), attempts in self._on.items()]

    def newest_on(self, chat_id: ChatId, history: int, *, before: float) -> Attempt | None:
        """The latest attempt on this history that had said something by then."""
        spoken = [attempt for attempt in self.on(chat_id, history) if attempt.said(before)]
        return max(spoken, key=lambda attempt: attempt.number, default=None)

    def died(self, process: str, *, before: float) -> bool:
        return any(f.kind == "crash" and f.process == process and f.at < before for f in self._faults)

    def logged_until(self, attempt: Attempt) -> float:
        """What was said before this moment is in the part log, whatever happened then."""
        crashes = [f.at for f in self._of(attempt) if f.kind == "crash"]
        held_up = [f.at for f in self._of(attempt) if f.caller == "live"]
        return min([*crashes, *held_up], default=float("inf")) - LOG_SECONDS

    def disturbed(self, attempt: Attempt, *, until: float) -> bool:
        """Whether anything broke in its process while it spoke, or just before."""
        return any(f.at <= until for f in self._of(attempt))

    def _of(self, attempt: Attempt) -> list[Fault]:
        """The faults of its process that could have to do with it."""
        since = attempt.started - FREEZE_SECONDS_MAX
        return [f for f in self._faults if f.process == attempt.process and f.at >= since]
