"""How many requests of unknown callers are held at once."""

from contextlib import ExitStack

from chatd.api.serving.limits.waiting import Waiting


def test_so_many_of_one_address_wait_and_so_many_in_all() -> None:
    waiting = Waiting(in_all=3, of_network=2)
    with ExitStack() as held:
        places = [held.enter_context(waiting.place(network)) for network in ("a", "a", "a", "b", "c")]

        assert [place.take() for place in places] == [True, True, False, True, False]
        # Who waits, waits on.
        assert [place.take() for place in places] == [True, True, False, True, False]

    with waiting.place("a") as place:
        assert place.take()


def test_a_request_that_need_not_wait_takes_no_place() -> None:
    waiting = Waiting(in_all=1, of_network=1)
    with waiting.place("a"), waiting.place("b") as other:
        assert other.take()
