import pytest

from chatd.domain.message import Effort
from chatd.providers.dialects.shared.efforts import (
    CLAUDE_BUDGETS,
    GEMINI_BUDGETS,
    SCALE,
    gemini_level,
    nearest,
)

SOME = (Effort.HIGH, Effort.LOW)


@pytest.mark.parametrize(
    ("wanted", "accepted", "found"),
    [
        (Effort.LOW, SOME, Effort.LOW),
        (Effort.MEDIUM, SOME, Effort.HIGH),
        (Effort.NONE, SOME, Effort.LOW),
        (Effort.MAX, SOME, Effort.HIGH),
        (Effort.XHIGH, (), Effort.XHIGH),
    ],
)
def test_an_effort_that_is_not_accepted_is_raised_rather_than_lowered(
    wanted: Effort, accepted: tuple[Effort, ...], found: Effort
) -> None:
    assert nearest(wanted, accepted) is found


def test_levels_of_gemini_end_where_its_scale_ends() -> None:
    assert {gemini_level(effort) for effort in Effort} == {
        Effort.MINIMAL,
        Effort.LOW,
        Effort.MEDIUM,
        Effort.HIGH,
    }


@pytest.mark.parametrize("budgets", [CLAUDE_BUDGETS, GEMINI_BUDGETS])
def test_more_effort_never_means_a_smaller_budget(budgets: dict[Effort, int]) -> None:
    ordered = [budgets[effort] for effort in SCALE if effort in budgets]

    assert ordered == sorted(ordered)
