"""Which user a person of the provider is, with which role and in which groups."""

import asyncio
from typing import Any

import pytest

from chatd.accounts.groups import add_member, create_group
from chatd.accounts.lives.lives import UserChange, change_user, delete_user, suspend_user
from chatd.accounts.users import create_user, profile_of
from chatd.accounts.ways_in.declared import SignUp
from chatd.accounts.ways_in.oidc.failures import Failure, NotSignedIn
from chatd.accounts.ways_in.oidc.flow import OidcFlow, Returned, SignedIn
from chatd.domain.ids import UserId
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.people.roles import UserRole
from chatd.storage.database import Database
from tests.accounts.ways_in.oidc.conftest import NETWORK, MakeFlow
from tests.accounts.ways_in.oidc.hostile import HostileProvider
from tests.accounts.ways_in.oidc.test_attacks import back, begun
from tests.traceability import proves

ADMIN, MEMBER, VIEWER, AUDITOR = UserRole.ADMIN, UserRole.MEMBER, UserRole.VIEWER, UserRole.AUDITOR
MAPPED = {"groups_claim": "groups", "role_map": {"ops": ADMIN, "audit": AUDITOR, "guests": VIEWER}}


class Coming:
    """A person with these claims comes back."""

    def __init__(self, db: Database, provider: HostileProvider) -> None:
        self.db = db
        self.provider = provider

    async def signed_in(self, flow: OidcFlow, link_to: UserId | None = None, **claims: Any) -> SignedIn:
        self.provider.claims = claims
        sent = await flow.begin(self.db, return_to="/chats/1", secret=None, network=NETWORK, link_to=link_to)
        asked = self.provider.sent(sent.url)
        returned = Returned(state=asked["state"], code=asked["code"], secret=sent.secret)
        return await back(flow, self.db, returned)

    async def user(self, flow: OidcFlow, **claims: Any) -> tuple[str, UserRole]:
        profile = await profile_of(self.db, (await self.signed_in(flow, **claims)).user_id)
        assert profile is not None
        return profile.user.name, profile.user.role

    async def failure(self, flow: OidcFlow, link_to: UserId | None = None, **claims: Any) -> Failure:
        with pytest.raises(NotSignedIn) as refused:
            await self.signed_in(flow, link_to, **claims)
        return refused.value.failure

    async def groups(self, user_id: str) -> list[str]:
        rows = await self.db.read(lambda tx: tx.all("memberships_of", user_id))
        return [key for _, key, _ in rows]


@pytest.fixture
def coming(database: Database, hostile: HostileProvider) -> Coming:
    return Coming(database, hostile)


async def test_a_person_is_known_by_their_subject_and_not_by_their_name(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow()
    first = await coming.signed_in(flow, sub="1", preferred_username="Anna", name="Anna A.")

    assert (await coming.signed_in(flow, sub="1", preferred_username="Anna B.")).user_id == first.user_id
    other = await coming.signed_in(flow, sub="2", preferred_username="anna")
    assert other.user_id != first.user_id
    profile = await profile_of(coming.db, other.user_id)
    assert profile is not None
    assert profile.user.name == "anna-2"


async def test_a_person_without_a_name_has_their_address_or_their_subject(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow()

    assert await coming.user(flow, sub="1", preferred_username=None, email="a@example.org") == (
        "a@example.org",
        MEMBER,
    )
    assert await coming.user(flow, sub="sub-2", preferred_username=7) == ("sub-2", MEMBER)


async def test_of_two_browsers_of_a_new_person_at_once_both_are_let_in_as_one_user(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow()
    started = [await begun(flow, coming.db, coming.provider) for _ in range(4)]

    results = await asyncio.gather(*(back(flow, coming.db, each) for each in started))

    assert len({each.user_id for each in results}) == 1


async def test_without_an_invitation_nobody_is_let_in_where_one_is_needed(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow(sign_up=SignUp.INVITED)

    assert await coming.failure(flow) is Failure.NOT_INVITED


async def test_a_user_is_joined_by_an_address_that_is_verified_on_both_sides(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow(sign_up=SignUp.INVITED, link_by_email=True)
    anna = await create_user(coming.db, "anna", MEMBER, email="Anna@example.org")
    address = "anna@EXAMPLE.org"

    assert await coming.failure(flow, email=address, email_verified=False) is Failure.NOT_INVITED
    assert await coming.failure(flow, email=address) is Failure.NOT_INVITED
    assert (await coming.signed_in(flow, email=address, email_verified=True)).user_id == anna.id
    # The address was given to another person, who is not Anna.
    assert await coming.failure(flow, sub="2", email=address, email_verified=True) is Failure.NOT_INVITED


async def test_without_the_setting_an_address_joins_nobody(coming: Coming, make_flow: MakeFlow) -> None:
    anna = await create_user(coming.db, "anna", MEMBER, email="anna@example.org")

    signed_in = await coming.signed_in(make_flow(), email="anna@example.org", email_verified=True)

    assert signed_in.user_id != anna.id


async def test_an_address_that_is_not_verified_here_or_that_two_users_have_joins_nobody(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow(link_by_email=True)
    told = await coming.signed_in(flow, sub="1", email="anna@example.org", email_verified=False)
    other = await coming.signed_in(flow, sub="2", email="anna@example.org", email_verified=True)
    assert other.user_id != told.user_id

    two = [await create_user(coming.db, name, MEMBER, email="b@example.org") for name in ("b1", "b2")]
    found = await coming.signed_in(flow, sub="3", email="b@example.org", email_verified=True)
    assert found.user_id not in {each.id for each in two}


@proves("people", 10)
async def test_the_address_of_an_administrator_joins_nobody(coming: Coming, make_flow: MakeFlow) -> None:
    admin = await create_user(coming.db, "root", ADMIN, email="root@example.org")
    claims: dict[str, Any] = {
        "preferred_username": "root",
        "email": "root@example.org",
        "email_verified": True,
    }

    signed_in = await coming.signed_in(make_flow(link_by_email=True), **claims)

    assert signed_in.user_id != admin.id
    profile = await profile_of(coming.db, signed_in.user_id)
    assert profile is not None
    assert (profile.user.name, profile.user.role) == ("root-2", MEMBER)
    assert await coming.failure(make_flow(link_by_email=True, sign_up=SignUp.INVITED), sub="2", **claims) is (
        Failure.NOT_INVITED
    )


async def test_a_user_who_asks_for_it_is_joined_to_one_person(coming: Coming, make_flow: MakeFlow) -> None:
    flow = make_flow(sign_up=SignUp.INVITED)
    anna, olaf = [await create_user(coming.db, name, MEMBER) for name in ("anna", "olaf")]

    joined = await coming.signed_in(flow, anna.id, sub="1")

    assert (joined.user_id, joined.secret) == (anna.id, None)
    assert (await coming.signed_in(flow, sub="1")).user_id == anna.id
    assert await coming.failure(flow, olaf.id, sub="1") is Failure.TAKEN
    await suspend_user(coming.db, olaf.id)
    assert await coming.failure(flow, olaf.id, sub="2") is Failure.SUSPENDED


async def test_a_suspended_user_is_not_let_in_and_a_deleted_one_begins_anew(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow()
    anna = (await coming.signed_in(flow)).user_id
    await suspend_user(coming.db, anna)
    assert await coming.failure(flow) is Failure.SUSPENDED

    await delete_user(coming.db, anna, Leaving(chats=ChatsOfLeaver.ARCHIVE, by=THE_SERVER))
    assert (await coming.signed_in(flow)).user_id != anna


@proves("people", 11)
async def test_groups_are_those_of_the_provider_at_each_sign_in_and_those_made_here_stay(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow(groups_claim="groups")
    anna = (await coming.signed_in(flow, groups=["Staff", "berlin", 7, ""])).user_id
    here = await create_group(coming.db, "here")
    await add_member(coming.db, here.id, anna)
    assert await coming.groups(anna) == ["berlin", "here", "staff"]

    # A group that is called as one of ours is not ours.
    await coming.signed_in(flow, groups=["berlin", "Here"])
    assert await coming.groups(anna) == ["berlin", "here"]
    olaf = (await coming.signed_in(flow, sub="2", preferred_username="olaf", groups=["here"])).user_id
    assert await coming.groups(olaf) == []

    await coming.signed_in(flow, groups=None)
    assert await coming.groups(anna) == ["here"]


async def test_the_best_role_that_is_mapped_counts_at_each_sign_in(
    coming: Coming, make_flow: MakeFlow, database: Database
) -> None:
    await create_user(database, "root", ADMIN)
    flow = make_flow(**MAPPED)

    assert await coming.user(flow, groups=["guests", "audit"]) == ("anna", AUDITOR)
    assert await coming.user(flow, groups=["ops", "guests"]) == ("anna", ADMIN)
    assert await coming.user(flow, groups=["guests"]) == ("anna", VIEWER)
    assert await coming.user(flow, groups=["others"]) == ("anna", MEMBER)


async def test_without_a_map_the_role_is_for_administrators_here_to_change(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow(groups_claim="groups", role_default=VIEWER)
    anna = (await coming.signed_in(flow, groups=["admin"])).user_id
    assert await coming.user(flow, groups=["admin"]) == ("anna", VIEWER)

    await change_user(coming.db, anna, UserChange(role=AUDITOR))

    assert await coming.user(flow) == ("anna", AUDITOR)


async def test_the_last_administrator_stays_one_whatever_the_provider_says(
    coming: Coming, make_flow: MakeFlow
) -> None:
    flow = make_flow(**MAPPED)
    assert await coming.user(flow, groups=["ops"]) == ("anna", ADMIN)

    assert await coming.user(flow, groups=[]) == ("anna", ADMIN)


async def test_who_is_not_in_the_needed_group_or_in_none_with_a_role_is_not_let_in(
    coming: Coming, make_flow: MakeFlow
) -> None:
    needed = make_flow(groups_claim="groups", required_group="staff")
    strict = make_flow(**MAPPED, role_strict=True)

    assert await coming.failure(needed, groups=["others"]) is Failure.GROUP
    assert await coming.failure(strict, groups=["others"]) is Failure.GROUP
    assert await coming.failure(strict, groups="staff") is Failure.GROUP
    assert await coming.user(needed, groups="staff") == ("anna", MEMBER)
    assert await coming.user(strict, groups=["guests"]) == ("anna", VIEWER)
