"""Which limits count for whom."""

import pytest

from chatd.domain.ids import UserId
from chatd.domain.people.permit import Standing
from chatd.domain.people.rates import (
    NO_RATES,
    USUAL_RATES,
    CallerKind,
    Counted,
    Limit,
    Party,
    Rates,
    limits_of,
)
from chatd.domain.people.roles import UserKind, UserRole

ANN, SHOP = UserId("ann"), UserId("shop")
MEMBER = Standing(role=UserRole.MEMBER)
SERVICE = Standing(role=UserRole.MEMBER, kind=UserKind.SERVICE)
END_USER = Standing(role=UserRole.MEMBER, kind=UserKind.END_USER)


def limits(standing: Standing, counted: Counted = Counted.REQUESTS, **party: object) -> list[Limit]:
    known = Party(user_id=ANN, **party)  # type: ignore[arg-type]
    return list(limits_of(USUAL_RATES, counted, standing, known))


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (Standing(role=UserRole.ADMIN), [512, 60, 12, 120]),
        (Standing(role=UserRole.AUDITOR), [512, 60, 12, 120]),
        (MEMBER, [512, 60, 12, 120]),
        (Standing(role=UserRole.VIEWER), [256, None, None, 60]),
        (SERVICE, [3000, 600, 120, 1200]),
        (END_USER, [120, 20, 6, 30]),
    ],
)
def test_every_kind_of_caller_has_its_numbers(standing: Standing, expected: list[int | None]) -> None:
    told = [next(iter(limits(standing, counted)), None) for counted in Counted]

    assert [each and each.per_minute for each in told] == expected
    assert {each.holder for each in told if each is not None} == {ANN}


def test_of_an_end_user_and_the_service_both_count() -> None:
    assert limits(END_USER, service_id=SHOP) == [Limit(ANN, 120), Limit(SHOP, 3000)]


def test_a_service_speaks_for_itself_and_for_others_from_one_bucket() -> None:
    assert list(limits_of(USUAL_RATES, Counted.TURNS, SERVICE, Party(user_id=SHOP))) == [Limit(SHOP, 600)]
    assert limits(END_USER, Counted.TURNS, service_id=SHOP)[1] == Limit(SHOP, 600)


def test_a_service_may_have_numbers_of_its_own_and_the_usual_ones_beside_them() -> None:
    own = Rates(requests=9000)

    assert limits(END_USER, service_id=SHOP, service_rates=own)[1] == Limit(SHOP, 9000)
    assert limits(END_USER, Counted.UPLOADS, service_id=SHOP, service_rates=own)[1] == Limit(SHOP, 120)


def test_a_token_may_be_good_for_less_and_never_makes_it_more() -> None:
    assert limits(MEMBER, token_id="t", token_rates=Rates(requests=10)) == [
        Limit(ANN, 512),
        Limit("token t", 10),
    ]
    assert limits(MEMBER, token_id="t", token_rates=NO_RATES) == [Limit(ANN, 512)]


def test_what_may_be_any_number_is_not_counted() -> None:
    table = {**USUAL_RATES, CallerKind.PERSON: Rates(requests=0)}

    assert list(limits_of(table, Counted.REQUESTS, MEMBER, Party(user_id=ANN))) == []
