"""When a model is tried again, for who looks from the beginning and for who comes late."""

from datetime import UTC, datetime, timedelta

import pytest

from chatd.cli.talk.showing.activity import Activity
from chatd.cli.talk.showing.retry import seconds_left
from chatd.client.events import RetryOver, RetryPending, StatusChanged

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("in_seconds", "left"),
    [
        (60, 60),
        (20, 20),
        # Clocks that differ make it neither longer nor over before its time.
        (90, 60),
        (-5, 0),
    ],
)
def test_who_comes_late_waits_for_the_rest(in_seconds: float, left: float) -> None:
    at = (NOW + timedelta(seconds=in_seconds)).isoformat()

    assert seconds_left(RetryPending(attempt=1, delay_ms=60_000, retrying_at=at), NOW) == left


def test_without_a_moment_the_whole_pause_is_left() -> None:
    assert seconds_left(RetryPending(attempt=1, delay_ms=4000), NOW) == 4


def test_a_countdown_has_no_other_seconds_beside_it() -> None:
    moment = 0.0
    activity = Activity(lambda: moment)
    activity.see(StatusChanged(status="running"))
    moment = 10.0
    assert activity.seconds == 10

    activity.see(RetryPending(attempt=2, delay_ms=4000))
    assert (activity.words(), activity.seconds) == ("attempt 3 in 4 s", 0)
    activity.see(RetryOver())
    assert activity.seconds == 10
