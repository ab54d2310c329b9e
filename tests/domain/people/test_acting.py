"""For whom a service may speak."""

from itertools import product

import pytest

from chatd.domain.people.acting import ActsFor, Represented, may_act_for
from chatd.domain.people.roles import UserKind, UserRole

EVERYBODY = [
    Represented(kind=kind, role=role, suspended=suspended, is_own=is_own, is_in_group=is_in_group)
    for kind, role, suspended, is_own, is_in_group in product(
        UserKind, UserRole, (True, False), (True, False), (True, False)
    )
]


def test_a_service_of_a_product_speaks_for_its_own_end_users() -> None:
    for who in EVERYBODY:
        is_such = who.kind is UserKind.END_USER and who.is_own and not who.suspended
        assert may_act_for(ActsFor.END_USERS, who) is is_such


def test_a_service_of_a_group_speaks_for_people_in_it_who_see_only_their_own_chats() -> None:
    for who in EVERYBODY:
        is_such = who.kind is UserKind.PERSON and who.is_in_group and not who.suspended
        sees_more = who.role in (UserRole.ADMIN, UserRole.AUDITOR)
        assert may_act_for(ActsFor.GROUP, who) is (is_such and not sees_more)


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_service_that_speaks_for_nobody_speaks_for_nobody(who: Represented) -> None:
    assert not may_act_for(ActsFor.NOBODY, who)
