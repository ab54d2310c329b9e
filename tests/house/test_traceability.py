import re
from itertools import combinations

import pytest

from tests.house.repository import ROOT
from tests.traceability import BEHAVIOURS, SUPERSEDED
from tools.traceability import REASONS, marks_in_typescript, proofs

NAMED_TEST = re.compile(r"\btest_\w+\b(?!\.py)")
NAMED_THING = re.compile(r"\btest_\w+\b|\btests/[\w/.]+|\bweb/src/[\w/.]+\.test\.tsx?|\bDecision \d{4}\b")


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


def test_a_file_that_a_reason_names_is_there() -> None:
    named = {
        path
        for reasons in REASONS.values()
        for reason in reasons.values()
        for path in re.findall(r"\b(?:tests|web)/[\w/.]+\.(?:py|tsx?)\b", reason)
    }

    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_a_comment_marks_the_test_that_follows_it() -> None:
    code = '// proves web-ui 26, 27\ntest("reads are one card", () => {});\n'

    assert list(marks_in_typescript(code)) == [
        ("reads are one card", "web-ui", 26),
        ("reads are one card", "web-ui", 27),
    ]


@pytest.mark.parametrize(
    "code", ["// proves web-ui 26\nconst a = 1;\n", '// proves web-ui 700\ntest("a", f);\n']
)
def test_a_mark_that_marks_nothing_is_refused(code: str) -> None:
    with pytest.raises(AssertionError):
        list(marks_in_typescript(code))
