"""Which failures deserve another try, and when (pure)."""

from collections.abc import Callable

from msgspec import Struct

from chatd.domain.chat import Failure
from chatd.errors import ProviderError
from chatd.kit.concurrency.backoff import backoff_seconds
from chatd.providers.failures import given_up
from chatd.providers.failures.faults import TRIES

# Tries for one history. The count is durable: a restart earns no more.
ATTEMPTS_MAX = 25
FIRST_SECONDS = 1.0
LONGEST_SECONDS = 60.0
# A provider that asks for more patience than this gets no more of it.
RETRY_AFTER_SECONDS_MAX = 300.0
# Waiting for a provider that says nothing at all, over all tries for one history. Three tries of a model
# that may think for five minutes before its first byte.
UNANSWERED_SECONDS_MAX = 900.0


class Again(Struct, frozen=True):
    """Try again after this many seconds."""

    seconds: float


class GiveUp(Struct, frozen=True):
    failure: Failure


class Failings:
    """How the history as it is has failed so far: how often in each way, as far as one runner has seen it,
    and how long the provider did not answer, which a pending retry carries from one runner to the next.
    """

    def __init__(self, history: int = 0, unanswered_seconds: float = 0.0) -> None:
        self._history = history
        self._times: dict[str, int] = {}
        self.unanswered_seconds = unanswered_seconds

    def count(self, history: int, error: ProviderError) -> int:
        """Once more; how often now in this way."""
        if history != self._history:
            self._history, self._times, self.unanswered_seconds = history, {}, 0.0
        self.unanswered_seconds += error.unanswered_seconds
        self._times[error.fault] = self._times.get(error.fault, 0) + 1
        return self._times[error.fault]


def after_failure(
    error: ProviderError,
    attempt: int,
    chance: Callable[[], float],
    *,
    times: int = 1,
    unanswered_seconds: float = 0.0,
) -> Again | GiveUp:
    """What follows a failed attempt. `attempt` counts from 1; `chance` gives a number from 0 to 1.

    `times` is how often this history has failed in this very way: some faults do not deserve many tries.
    `unanswered_seconds` is how long the provider did not answer. The pause is drawn from the whole
    range, so that chats that failed together do not return together.
    """
    hopeless = (
        attempt >= ATTEMPTS_MAX
        or times >= TRIES.get(error.fault, ATTEMPTS_MAX)
        or unanswered_seconds >= UNANSWERED_SECONDS_MAX
    )
    if not error.retryable or hopeless:
        return GiveUp(failure_of(given_up(error)))
    longest = backoff_seconds(attempt, first_seconds=FIRST_SECONDS, longest_seconds=LONGEST_SECONDS)
    asked = min(error.retry_after_seconds or 0.0, RETRY_AFTER_SECONDS_MAX)
    return Again(max(longest * chance(), asked))


def failure_of(error: ProviderError) -> Failure:
    return Failure(
        message=error.message,
        kind=error.kind,
        detail=error.detail,
        provider=error.provider,
        retryable=error.retryable,
        status_code=error.status_code,
    )
