"""How a duty ends: what its exception says about the chat, and what people are told (pure)."""

from collections.abc import Iterator, Mapping
from enum import Enum, auto

from msgspec import MsgspecError, Struct

from chatd.domain.chat import Failure
from chatd.errors import ProviderError, Refused, Stale, Unavailable
from chatd.kit.concurrency.backoff import backoff_seconds

# A duty that breaks or hangs (it should not) is begun again, a little later each time, and not for ever.
BREAKS_MAX = 8
# What our own rules refuse was most likely paid for, and the next reply may break the same rule.
REFUSALS_MAX = 3
# Times that a duty found the database away although a look right after it succeeded.
ABSENCES_MAX = 100
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0

KEPT = "What was saved before is still there; try again."


class End(Enum):
    DONE = auto()
    # Another caller moved the chat, or took it.
    OVERTAKEN = auto()
    # One of our rules forbade what the duty wanted to save.
    REFUSED = auto()
    # The database could not be used. That is no mistake of the duty.
    AWAY = auto()
    BROKEN = auto()
    # Nothing moved for too long.
    STUCK = auto()
    # It was cancelled, and did not heed it.
    NEVER = auto()


TRIES: Mapping[End, int] = {
    End.REFUSED: REFUSALS_MAX,
    End.AWAY: ABSENCES_MAX,
    End.BROKEN: BREAKS_MAX,
    End.STUCK: BREAKS_MAX,
}


class Ending(Struct, frozen=True):
    end: End
    # What people are told if it always ends so.
    failure: Failure | None = None


FAILED_STUCK = Failure(
    message=f"The agent was stuck and could not be brought to go on, so this turn was stopped. {KEPT}",
    kind="timeout",
    retryable=True,
)

DONE = Ending(End.DONE)
OVERTAKEN = Ending(End.OVERTAKEN)
STUCK = Ending(End.STUCK, FAILED_STUCK)
NEVER = Ending(End.NEVER)

# What an unexpected exception says may be a row or a key, so people are told of its kind only.
_CAUSES: tuple[tuple[type[Exception], str], ...] = (
    (MsgspecError, "Something that is stored of this chat cannot be read."),
    (AssertionError, "What is stored of this chat, or the server itself, breaks a rule that always holds."),
    (MemoryError, "The server ran out of memory."),
    (TimeoutError, "Something inside the server took too long."),
    (OSError, "A file or a connection of the server could not be used."),
)


def ending_of(error: Exception) -> Ending:
    """What a duty's exception means. A task group may have wrapped several of them; the worst one counts."""
    leaves = list(_leaves(error))
    unexpected = [each for each in leaves if not isinstance(each, Refused | Unavailable | Stale)]
    if unexpected:
        return Ending(
            End.BROKEN, _failure(f"The server kept failing at this turn. {cause_of(unexpected[0])}")
        )
    refused = [each for each in leaves if isinstance(each, Refused)]
    if refused:
        return Ending(End.REFUSED, _failure(f"The agent's work could not be saved. {refused[0].message}"))
    if any(isinstance(each, Unavailable) for each in leaves):
        return Ending(End.AWAY, _failure("The database could not be used again and again."))
    return OVERTAKEN


def cause_of(error: Exception) -> str:
    if isinstance(error, ProviderError):
        return error.message  # It was written for people.
    for kind, words in _CAUSES:
        if isinstance(error, kind):
            return words
    return f"The cause is unexpected ({type(error).__name__}); the server's log says more."


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _failure(words: str) -> Failure:
    return Failure(message=f"{words} This turn was stopped. {KEPT}", kind="generic", retryable=True)


class Breaks:
    """How often, and how, duties have ended badly on the history as it is. After a saved step: none."""

    def __init__(self) -> None:
        self._history = 0
        self._times: dict[End, int] = {}

    def count(self, history: int, end: End) -> int:
        """Once more; how often now in this way."""
        if history != self._history:
            self._history, self._times = history, {}
        self._times[end] = self._times.get(end, 0) + 1
        return self._times[end]

    def forget(self) -> None:
        self._times = {}

    @property
    def total(self) -> int:
        return sum(self._times.values())


def pause_seconds(times: int) -> float:
    """How long to wait after this many failures in a row."""
    return backoff_seconds(times, first_seconds=FIRST_PAUSE_SECONDS, longest_seconds=LONGEST_PAUSE_SECONDS)
