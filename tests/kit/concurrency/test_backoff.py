"""A pause doubles with each failure, up to its bound."""

from chatd.kit.concurrency.backoff import backoff_seconds


def test_each_failure_doubles_the_pause_up_to_the_longest_one() -> None:
    pauses = [
        backoff_seconds(failures, first_seconds=0.5, longest_seconds=3.0) for failures in (1, 2, 3, 4, 5)
    ]

    assert pauses == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_without_a_failure_there_is_no_pause() -> None:
    assert backoff_seconds(0, first_seconds=0.5, longest_seconds=3.0) == 0.0


def test_any_number_of_failures_has_a_pause() -> None:
    assert backoff_seconds(10**9, first_seconds=0.001, longest_seconds=60.0) == 60.0
