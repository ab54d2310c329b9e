"""How far the viewers of this process lag behind what happens."""

from prometheus_client import Histogram

# Of one connection, only the longest lag within this time is counted: words come every few milliseconds.
WINDOW_SECONDS = 1.0

LAG_SECONDS = Histogram(
    "chatd_viewer_lag_seconds",
    "From when something new was known to this process until it was handed to the connection of a viewer: "
    "the longest lag of each connection in each second in which something was sent.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


class Lag:
    """Of one connection. All times are of the monotonic clock, in seconds."""

    def __init__(self) -> None:
        self._longest = 0.0
        self._since: float | None = None

    def note(self, known_at: float, now: float) -> None:
        """What was known from then on is sent now."""
        self._longest = max(self._longest, now - known_at)
        if self._since is None:
            self._since = now
        elif now - self._since >= WINDOW_SECONDS:
            self.count()

    def count(self) -> None:
        """Also at the end of the connection: a short one may have lagged most."""
        if self._since is not None:
            LAG_SECONDS.observe(self._longest)
            self._longest, self._since = 0.0, None
