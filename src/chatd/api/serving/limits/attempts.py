"""Requests of callers who are not known: so many from one address, and then nothing is looked up for them.

Who has shown a secret that was good is let through, whatever others send from the same address: behind one
proxy there may be many people. So secrets that were good lately are remembered, by their hashes, and are
looked up as always. Counting look-ups alone would be simpler, but one who sends thousands would use up those
of everybody beside them. What is remembered lets nobody in, it only is a reason to look; so it may be old.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from enum import StrEnum

from chatd.api.failures import TooManyRequests
from chatd.api.serving.limits.admission import RequestLimits
from chatd.api.serving.limits.rate import Rate
from chatd.domain.people.rates import Limit

# The one that was shown least recently is forgotten first.
GOOD_MAX = 10_000
# Who is refused is told so only after a while: they come back at once, and an answer is half of the work.
PAUSE_SECONDS = 1.0
# Beyond these, the answer comes at once.
PAUSED_MAX = 1_000


class Attempt(StrEnum):
    """Counted apart: wrong tokens must not be in the way of who is about to sign in, and has none yet."""

    NOTHING = "requests without a token"
    WRONG = "requests with a wrong token"


class Attempts:
    def __init__(
        self,
        limits: RequestLimits,
        now_seconds: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        *,
        good_max: int = GOOD_MAX,
        paused_max: int = PAUSED_MAX,
    ) -> None:
        self._per_minute = limits.wrong_tokens_per_minute
        self._sleep = sleep
        self._good_max = good_max
        self._paused_max = paused_max
        self._rates = {
            each: Rate(now_seconds, what=each, advice="", servers=limits.servers) for each in Attempt
        }
        self._good: OrderedDict[str, None] = OrderedDict()
        self._paused = 0

    def was_good(self, secret_hash: str) -> bool:
        return secret_hash in self._good

    async def check(self, attempt: Attempt, network: str) -> None:
        """Raises TooManyRequests."""
        try:
            self._rates[attempt].check(Limit(network, self._per_minute))
        except TooManyRequests:
            await self._pause()
            raise

    def failed(self, attempt: Attempt, network: str, secret_hash: str | None = None) -> None:
        """It counts once it is known to be wrong: good ones, however many are new, do not."""
        if secret_hash is not None:
            self._good.pop(secret_hash, None)
        self._rates[attempt].count(Limit(network, self._per_minute))

    def succeeded(self, secret_hash: str) -> None:
        self._good[secret_hash] = None
        self._good.move_to_end(secret_hash)
        if len(self._good) > self._good_max:
            self._good.popitem(last=False)

    async def _pause(self) -> None:
        if self._paused >= self._paused_max:
            return
        self._paused += 1
        try:
            await self._sleep(PAUSE_SECONDS)
        finally:
            self._paused -= 1
