from chatd.client.backoff import FIRST_SECONDS, LONGEST_SECONDS, delay_seconds


def test_each_pause_is_twice_as_long_up_to_a_bound() -> None:
    pauses = [delay_seconds(failures, lambda: 1.0) for failures in range(1, 12)]

    assert pauses[:4] == [FIRST_SECONDS, FIRST_SECONDS * 2, FIRST_SECONDS * 4, FIRST_SECONDS * 8]
    assert pauses[-1] == LONGEST_SECONDS == delay_seconds(10_000, lambda: 1.0)


def test_chance_decides_about_half_of_it() -> None:
    assert delay_seconds(3, lambda: 0.0) == delay_seconds(3, lambda: 1.0) / 2
