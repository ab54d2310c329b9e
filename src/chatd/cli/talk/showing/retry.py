"""When a model is tried again (pure)."""

from datetime import UTC, datetime

from chatd.client.events import RetryPending


def seconds_left(pending: RetryPending, now: datetime | None = None) -> float:
    """A viewer who comes late waits only for the rest. Clocks of two machines differ: it is within bounds."""
    delay = pending.delay_ms / 1000
    try:
        at = datetime.fromisoformat(pending.retrying_at)
    except ValueError:
        return delay
    return min(delay, max(0.0, (at - (now or datetime.now(UTC))).total_seconds()))
