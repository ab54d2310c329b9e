"""What an exception of a duty says about its end."""

import msgspec
import pytest

from chatd.errors import BadInput, ProviderError, Refused, Stale, Unavailable
from chatd.worker.endings import Breaks, End, ending_of, pause_seconds

STALE, AWAY, RULE = Stale("moved"), Unavailable("closed"), BadInput("rule", "Not more than one.")

ENDS: list[tuple[Exception, End]] = [
    (STALE, End.OVERTAKEN),
    (ExceptionGroup("calls", [STALE, ExceptionGroup("more", [STALE])]), End.OVERTAKEN),
    (RULE, End.REFUSED),
    (ExceptionGroup("calls", [STALE, RULE]), End.REFUSED),
    (AWAY, End.AWAY),
    (ExceptionGroup("calls", [AWAY, STALE]), End.AWAY),
    (RuntimeError("a bug"), End.BROKEN),
    (ExceptionGroup("calls", [STALE, AWAY, RULE, RuntimeError("a bug")]), End.BROKEN),
]


@pytest.mark.parametrize(("error", "end"), ENDS, ids=str)
def test_the_worst_of_what_went_wrong_counts(error: Exception, end: End) -> None:
    assert ending_of(error).end is end


WORDS: list[tuple[Exception, str]] = [
    (RULE, "Not more than one."),
    (msgspec.DecodeError("secret row"), "Something that is stored of this chat cannot be read."),
    (AssertionError("secret row"), "breaks a rule that always holds."),
    (ProviderError("config", "There is no such model."), "There is no such model."),
    (OSError("/secret/path"), "A file or a connection of the server could not be used."),
    (KeyError("secret"), "unexpected (KeyError)"),
    (Refused("rule", "Only on Sundays."), "Only on Sundays."),
]


@pytest.mark.parametrize(("error", "words"), WORDS, ids=str)
def test_people_are_told_the_cause_and_no_secret(error: Exception, words: str) -> None:
    failure = ending_of(error).failure

    assert failure is not None
    assert words in failure.message
    assert "secret" not in failure.message


def test_breaks_are_counted_for_each_way_and_each_history() -> None:
    breaks = Breaks()

    assert [breaks.count(5, end) for end in (End.BROKEN, End.STUCK, End.BROKEN)] == [1, 1, 2]
    assert breaks.total == 3
    assert (breaks.count(6, End.BROKEN), breaks.total) == (1, 1)
    breaks.forget()
    assert breaks.total == 0


def test_pauses_grow_up_to_a_few_seconds() -> None:
    assert [pause_seconds(times) for times in (0, 1, 2, 3, 1000)] == [0, 0.1, 0.2, 0.4, 5]
