"""The comparison finds each kind of broken promise, and nothing where all were kept."""

from collections.abc import Callable

import pytest

from tests.chaos.checks import Evidence, violations
from tests.chaos.database import Stored
from tests.chaos.ledger import Ledger, Line
from tests.chaos.people import script
from tests.simulation.people.picture import Part
from tests.simulation.witnesses.overheard import Word

LINES = (
    Line(1, "user", script("a")),
    Line(2, "assistant", "calls a-read, calls a-once"),
    Line(3, "tool", "a-read answered"),
    Line(4, "tool", "a-once failed"),
    Line(5, "assistant", "word word answer to a."),
    Line(6, "user", script("b")),
    Line(7, "assistant", "word word answer to b."),
)


def part(seq: int, attempt: int = 1) -> Part:
    return Part(1, attempt, seq, "assistant", Word("text", "word "))


def evidence() -> Evidence:
    ledger = Ledger()
    for name in ("a", "b"):
        ledger.accept("chat", name)
    for line in LINES:
        ledger.save("chat", line)
    ledger.replies["chat", 1, 1] = "word word answer to a."
    shown = [("chat", [line.id for line in LINES], [[part(1), part(2)], [part(1, attempt=2)]])]
    return Evidence(ledger, {"chat": Stored("waiting", 0, LINES)}, ["launch a-once a"], shown)


def stored(*lines: Line, status: str = "waiting", waiting: int = 0) -> dict[str, Stored]:
    return {"chat": Stored(status, waiting, lines)}


def told_otherwise(found: Evidence) -> Evidence:
    found.ledger.save("chat", Line(7, "assistant", "something else"))
    return found


def told_of_more(found: Evidence) -> Evidence:
    found.ledger.save("chat", Line(8, "assistant", "never saved"))
    return found


def told_out_of_order(found: Evidence) -> Evidence:
    told = found.ledger.saved["chat"]
    told[1] = told.pop(1)
    return found


def shown(*parts: Part) -> Callable[[Evidence], Evidence]:
    return lambda found: found._replace(shown=[("chat", [line.id for line in LINES], [parts])])


BROKEN: dict[str, tuple[Callable[[Evidence], Evidence], str]] = {
    "a message is lost": (lambda e: e._replace(stored=stored(*LINES[:5])), "acknowledged"),
    "a chat is lost": (lambda e: e._replace(stored={}), "acknowledged"),
    "a message is doubled": (lambda e: e._replace(stored=stored(*LINES, LINES[5])), "acknowledged"),
    "messages change places": (lambda e: e._replace(stored=stored(*LINES[5:], *LINES[:5])), "acknowledged"),
    "an answer is missing": (lambda e: e._replace(stored=stored(*LINES[:6])), "b was accepted"),
    "an answer is doubled": (lambda e: e._replace(stored=stored(*LINES, LINES[6])), "has 2 answers"),
    "a result is doubled": (lambda e: e._replace(stored=stored(*LINES, LINES[2])), "2 results of a-read"),
    "a chat runs": (lambda e: e._replace(stored=stored(*LINES, status="running")), "is running"),
    "a message waits": (lambda e: e._replace(stored=stored(*LINES, waiting=1)), "1 messages that wait"),
    "a chat twice": (lambda e: e._replace(stored={**e.stored, "x": e.stored["chat"]}), "nobody was told"),
    "once is twice": (lambda e: e._replace(rehearsals=["launch a-once a"] * 2), "ran 2 times"),
    "a viewer was told otherwise": (told_otherwise, "and later"),
    "what was saved is gone": (told_of_more, "the database has None"),
    "viewers saw another order": (told_out_of_order, "in this order"),
    "a viewer misses one": (lambda e: e._replace(shown=[("chat", [1, 2], [])]), "ended with the messages"),
    "a word is shown twice": (shown(part(1), part(1)), "something twice"),
    "another word is saved": (shown(part(1), part(2), part(3)), "and this was saved"),
    "attempts are mixed": (shown(part(1), part(2, attempt=2)), "mixes attempts"),
}


def test_kept_promises_are_not_complained_about() -> None:
    assert violations(evidence()) == []


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_promise_is_found(what: str) -> None:
    breaks, words = BROKEN[what]
    assert any(words in each for each in violations(breaks(evidence())))
