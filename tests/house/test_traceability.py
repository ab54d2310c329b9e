import re
from itertools import combinations

from tests.house.repository import ROOT
from tests.traceability import BEHAVIOURS, SUPERSEDED
from tools.traceability import REASONS, proofs

NAMED_TEST = re.compile(r"\btest_\w+\b(?!\.py)")
NAMED_THING = re.compile(r"\btest_\w+\b|\btests/[\w/.]+|\bDecision \d{4}\b")


def test_every_behaviour_has_a_test_or_a_reason() -> None:
    wanted = {(name, number) for name, count in BEHAVIOURS.items() for number in range(1, count + 1)}
    covered = set(proofs()).union(*REASONS.values())

    assert sorted(wanted - covered) == []


def test_no_behaviour_has_both_a_test_and_a_reason_or_two_reasons() -> None:
    for one, other in combinations((proofs(), *REASONS.values()), 2):
        assert set(one) & set(other) == set()


def test_what_supersedes_a_behaviour_has_a_name() -> None:
    assert [key for key, reason in SUPERSEDED.items() if not NAMED_THING.search(reason)] == []


def test_every_test_that_a_reason_names_is_there() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = {
        name
        for reasons in REASONS.values()
        for reason in reasons.values()
        for name in NAMED_TEST.findall(reason)
    }

    assert sorted(name for name in named if f"def {name}(" not in source) == []
