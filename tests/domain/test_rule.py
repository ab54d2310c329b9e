import pytest

from chatd.domain.rule import RULES_MAX, AddRule, MoveRule, RemoveRule, Rule, Verdict, rules_after
from chatd.errors import LimitReached, NotFound


def rule(tool: str, verdict: Verdict = Verdict.ALLOW) -> Rule:
    return Rule(verdict=verdict, tool=tool)


A, B, C = rule("a"), rule("b"), rule("c")


def test_a_rule_is_added_in_front_or_where_it_is_wanted() -> None:
    assert rules_after((A,), [AddRule(rule=B)]) == (B, A)
    assert rules_after((A, B), [AddRule(rule=C, position=1)]) == (A, C, B)
    assert rules_after((A,), [AddRule(rule=B, position=99)]) == (A, B)


def test_the_same_rule_is_added_once() -> None:
    assert rules_after((A, B), [AddRule(rule=rule("b"))]) == (A, B)


def test_a_rule_is_moved_and_removed_by_its_id() -> None:
    assert rules_after((A, B, C), [MoveRule(rule_id=C.id, position=0)]) == (C, A, B)
    assert rules_after((A, B, C), [MoveRule(rule_id=A.id, position=2)]) == (B, C, A)
    assert rules_after((A, B), [RemoveRule(rule_id=A.id)]) == (B,)
    with pytest.raises(NotFound):
        rules_after((A,), [RemoveRule(rule_id=B.id)])


def test_an_id_tells_rules_apart_and_stays_the_same() -> None:
    assert rule("a").id == A.id
    assert len({A.id, B.id, rule("a", Verdict.DENY).id}) == 3


def test_there_is_an_end_to_a_list_of_rules() -> None:
    many = tuple(rule(str(n)) for n in range(RULES_MAX))

    with pytest.raises(LimitReached):
        rules_after(many, [AddRule(rule=A)])
