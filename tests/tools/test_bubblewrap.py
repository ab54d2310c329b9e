from tools.bubblewrap import works


def test_a_program_that_is_not_there_does_not_work() -> None:
    assert not works("no-such-bwrap")


def test_a_program_that_ends_with_an_error_does_not_work() -> None:
    assert not works("/bin/false")
