from chatd.api.chats.streams.lag import WINDOW_SECONDS, Lag
from tests.support.counted import counting


def test_of_many_lags_in_a_second_the_longest_is_counted() -> None:
    lag = Lag()
    with counting() as found:
        lag.note(100.0, 100.01)
        lag.note(100.1, 100.6)
        lag.note(101.0, 100.01 + WINDOW_SECONDS)

    assert found["chatd_viewer_lag_seconds_count"] == 1
    assert round(found["chatd_viewer_lag_seconds_sum"], 6) == 0.5


def test_what_a_short_connection_lagged_is_counted_at_its_end() -> None:
    lag = Lag()
    with counting() as found:
        lag.note(100.0, 103.0)
        lag.count()
        lag.count()

    assert (found["chatd_viewer_lag_seconds_count"], found["chatd_viewer_lag_seconds_sum"]) == (1, 3)
