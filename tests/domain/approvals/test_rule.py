import pytest

from chatd.domain.approvals.rule import (
    RULE_BYTES_MAX,
    RULES_MAX,
    AddRule,
    KeptRule,
    MoveRule,
    RemoveRule,
    Rule,
    Verdict,
    rules_after,
)
from chatd.domain.ids import Micros
from chatd.errors import BadInput, LimitReached, NotFound


def kept(tool: str, verdict: Verdict = Verdict.ALLOW) -> KeptRule:
    return KeptRule(rule=Rule(verdict=verdict, tool=tool), created_at=Micros(0))


A, B, C = kept("a"), kept("b"), kept("c")


def test_a_rule_is_added_in_front_or_where_it_is_wanted() -> None:
    assert rules_after((A,), [AddRule(kept=B)]) == (B, A)
    assert rules_after((A, B), [AddRule(kept=C, position=1)]) == (A, C, B)
    assert rules_after((A,), [AddRule(kept=B, position=99)]) == (A, B)


def test_the_same_rule_is_added_once_and_keeps_its_place_and_its_maker() -> None:
    again = KeptRule(rule=B.rule, created_at=Micros(7))

    assert rules_after((A, B), [AddRule(kept=again)]) == (A, B)


def test_a_rule_is_moved_and_removed_by_its_id() -> None:
    assert rules_after((A, B, C), [MoveRule(rule_id=C.id, position=0)]) == (C, A, B)
    assert rules_after((A, B, C), [MoveRule(rule_id=A.id, position=2)]) == (B, C, A)
    assert rules_after((A, B), [RemoveRule(rule_id=A.id)]) == (B,)
    with pytest.raises(NotFound):
        rules_after((A,), [RemoveRule(rule_id=B.id)])


def test_an_id_tells_rules_apart_and_stays_the_same() -> None:
    assert kept("a").id == A.id == A.rule.id
    assert len({A.id, B.id, kept("a", Verdict.DENY).id}) == 3


def test_there_is_an_end_to_a_list_of_rules_and_to_a_rule() -> None:
    many = tuple(kept(str(n)) for n in range(RULES_MAX))

    with pytest.raises(LimitReached):
        rules_after(many, [AddRule(kept=A)])
    with pytest.raises(BadInput, match="bytes"):
        rules_after((), [AddRule(kept=kept("x" * RULE_BYTES_MAX))])


def test_a_rule_says_for_people_which_calls_it_is_for() -> None:
    said = {
        str(Rule(verdict=Verdict.DENY)),
        str(Rule(verdict=Verdict.ALLOW, tool="execute", words=("git", "status", "*"))),
        str(Rule(verdict=Verdict.ASK, tool="write_file", paths=("src/*", "*.md"), workspace="/srv/x")),
        str(Rule(verdict=Verdict.ALLOW, tool="write_file", paths=("*",), workspace="/srv/x")),
    }

    assert said == {
        "deny all calls",
        "allow calls of `execute` for the program `git status *`",
        "ask calls of `write_file` for `src/*`, `*.md` in the workspace /srv/x",
        "allow calls of `write_file` for any file of the top folder in the workspace /srv/x",
    }
