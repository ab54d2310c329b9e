"""How many streams one caller has open at once: as many as they may open in a minute.

A stream may be open for hours. Without this bound a caller who opens no more of them in a minute than they
may would hold all connections of the server after a while.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from chatd.api.failures import TooMuchAtOnce
from chatd.domain.people.rates import Limit


class OpenStreams:
    """Of this server. Only those who have a stream open are remembered."""

    def __init__(self) -> None:
        self._by_holder: Counter[str] = Counter()

    @property
    def holders(self) -> frozenset[str]:
        """Who has one open."""
        return frozenset(self._by_holder)

    @contextmanager
    def opened(self, limits: Iterable[Limit]) -> Iterator[None]:
        """Raises TooMuchAtOnce."""
        counted = [limit for limit in limits if limit.per_minute]
        for limit in counted:
            if self._by_holder[limit.holder] >= limit.per_minute:
                raise TooMuchAtOnce(
                    f"{limit.per_minute} of your streams are open already.", limit=limit.per_minute
                )
        self._by_holder.update(limit.holder for limit in counted)
        try:
            yield
        finally:
            for limit in counted:
                self._by_holder[limit.holder] -= 1
                if not self._by_holder[limit.holder]:
                    del self._by_holder[limit.holder]
