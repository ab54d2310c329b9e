import pytest

from chatd.agent.generation.retry import Again, Failings, GiveUp, after_failure
from chatd.domain.chat import Failure
from chatd.errors import ProviderError
from chatd.providers.failures import failed
from tests.traceability import proves


def busy(**more: object) -> ProviderError:
    return ProviderError("overloaded", "Too busy.", retryable=True, **more)  # type: ignore[arg-type]


def always() -> float:
    return 1.0


# The most; how long it really is, is a matter of chance.
PAUSES = [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (24, 60)]


@proves("errors", 34)
@pytest.mark.parametrize(("attempt", "seconds"), PAUSES)
def test_each_pause_is_at_most_twice_the_one_before_and_never_over_a_minute(
    attempt: int, seconds: float
) -> None:
    assert after_failure(busy(), attempt, always) == Again(seconds)


def test_the_pause_is_drawn_from_the_whole_range() -> None:
    assert after_failure(busy(), 3, lambda: 0.25) == Again(1.0)


@proves("worker", 39)
def test_a_provider_that_asks_for_more_time_gets_it() -> None:
    assert after_failure(busy(retry_after_seconds=7.5), 1, always) == Again(7.5)
    assert after_failure(busy(retry_after_seconds=0.5), 1, always) == Again(1.0)


def test_no_provider_gets_more_than_five_minutes() -> None:
    assert after_failure(busy(retry_after_seconds=86400), 1, always) == Again(300)


@proves("errors", 34)
def test_the_twenty_fifth_attempt_is_the_last() -> None:
    assert isinstance(after_failure(busy(), 24, always), Again)
    assert after_failure(busy(), 25, always) == GiveUp(
        Failure(message="Too busy. Send the message again in a while.", kind="overloaded", retryable=True)
    )


@proves("errors", 23)
def test_a_hint_that_is_shorter_than_our_own_patience_changes_nothing() -> None:
    assert after_failure(busy(retry_after_seconds=3), 7, always) == Again(60)


def test_an_answer_that_cannot_be_read_is_asked_for_once_more() -> None:
    unreadable = failed("invalid_response")

    assert after_failure(unreadable, 1, always, times=1) == Again(1)
    # Other failures before it do not cost it that try.
    assert after_failure(unreadable, 9, always, times=1) == Again(60)
    assert isinstance(after_failure(unreadable, 2, always, times=2), GiveUp)


def test_failings_are_counted_for_each_way_and_each_history() -> None:
    failings = Failings()
    errors = {name: ProviderError("generic", "It failed.", fault=name) for name in "ab"}

    assert [failings.count(5, errors[name]) for name in "abaa"] == [1, 1, 2, 3]
    assert failings.count(6, errors["a"]) == 1
    assert failings.count(6, errors["a"]) == 2


def silent(seconds: float) -> ProviderError:
    error = failed("stream_silence")
    error.unanswered_seconds = seconds
    return error


def test_the_time_without_an_answer_adds_up_for_each_history() -> None:
    failings = Failings(5, unanswered_seconds=300)
    failings.count(5, silent(300))
    assert failings.unanswered_seconds == 600

    failings.count(6, silent(60))
    assert failings.unanswered_seconds == 60


def test_a_provider_that_does_not_answer_for_a_quarter_of_an_hour_is_given_up() -> None:
    assert isinstance(after_failure(silent(300), 2, always, unanswered_seconds=899), Again)
    assert isinstance(after_failure(silent(300), 3, always, unanswered_seconds=900), GiveUp)


def test_what_cannot_be_cured_by_trying_again_is_given_up_at_once() -> None:
    error = ProviderError("auth", "The key was rejected.", status_code=401, provider="openai", detail="x")

    assert after_failure(error, 1, always) == GiveUp(
        Failure(message="The key was rejected.", kind="auth", status_code=401, provider="openai", detail="x")
    )
