"""How often a password may be tried for one name (pure).

Five failures within a quarter of an hour, and the next try has to wait a minute; after each further failure
twice as long, up to an hour. A try is counted before the password is looked at, so that a hundred tries at
once are not a hundred; one that is right is forgotten together with all before it.
"""

from msgspec import Struct

SECOND = 1_000_000
FAILURES_MAX = 5
WINDOW_MICROS = 15 * 60 * SECOND
FIRST_WAIT_MICROS = 60 * SECOND
WAIT_MICROS_MAX = 3600 * SECOND
# How long after the last wait it is known that there was one.
KNOWN_MICROS = 24 * 3600 * SECOND


class Tries(Struct, frozen=True, kw_only=True):
    """Of one name, whether or not there is a user of that name."""

    failures: int
    # When the first of them was.
    since: int
    waits: int = 0
    wait_until: int = 0
    forget_at: int = 0


def wait_micros(tries: Tries | None, now: int) -> int:
    """How long the next try has to wait."""
    return max(0, tries.wait_until - now) if tries is not None else 0


def counted(tries: Tries | None, now: int) -> Tries:
    """With one more."""
    if tries is None or now >= tries.forget_at:
        tries = Tries(failures=0, since=now)
    failures = tries.failures + 1
    if failures < FAILURES_MAX:
        return Tries(failures=failures, since=tries.since, forget_at=tries.since + WINDOW_MICROS)
    waits = tries.waits + 1
    wait_until = now + min(FIRST_WAIT_MICROS << min(waits - 1, 10), WAIT_MICROS_MAX)
    return Tries(
        failures=failures,
        since=tries.since,
        waits=waits,
        wait_until=wait_until,
        forget_at=wait_until + KNOWN_MICROS,
    )
