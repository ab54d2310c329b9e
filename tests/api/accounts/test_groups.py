"""Groups: made by administrators, found by who shares, and left alone where a provider says who is in."""

import asyncio
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.groups import GROUPS_OF_USER_MAX, GroupSource, add_member, create_group
from chatd.accounts.users import create_user
from chatd.domain.people.roles import UserRole
from chatd.errors import NotAllowed
from chatd.kit.ids import new_id
from chatd.storage.database import Database
from chatd.storage.transactions.transact import Store
from tests.api.client import Client

ALMOST_A_THOUSAND = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
INSERT INTO groups (id, name, name_key, source, created_at)
SELECT 'g' || i, 'g' || i, 'g' || i, 'local', 0 FROM n;
"""
GROUPS = "/api/v1/groups"
USERS = "/api/v1/users"


async def made(admin: Client, name: str) -> Any:
    answer = await admin.post(GROUPS, {"name": name})
    assert answer.status == 201, answer.body
    return answer.json


async def user_id_of(admin: Client, name: str) -> str:
    answer = await admin.post(USERS, {"name": name, "invite": False})
    assert answer.status == 201, answer.body
    user_id: str = answer.json["id"]
    return user_id


async def from_provider(db: Database, name: str) -> str:
    group_id = new_id()
    await db.write(lambda tx: tx.one("insert_group", group_id, name, name.casefold(), GroupSource.OIDC.value))
    return group_id


async def test_a_group_is_made_renamed_filled_emptied_and_deleted(admin: Client) -> None:
    group = await made(admin, "Sales")
    path = f"{GROUPS}/{group['id']}"
    anna, berta = await user_id_of(admin, "anna"), await user_id_of(admin, "Berta")

    for user_id in (berta, anna, anna):
        assert (await admin.put(f"{path}/members/{user_id}")).status == 204
    members = (await admin.get(f"{path}/members")).json
    first = (await admin.get(f"{path}/members", limit=1)).json
    rest = (await admin.get(f"{path}/members", after=first["next"])).json
    renamed = await admin.patch(path, {"name": "Support"})

    assert group["source"] == "local"
    assert [each["name"] for each in members["users"]] == ["anna", "Berta"]
    assert first["users"] + rest["users"] == members["users"]
    assert (renamed.json["name"], renamed.json["members"]) == ("Support", 2)
    assert (await admin.delete(f"{path}/members/{anna}")).status == 204
    assert (await admin.delete(f"{path}/members/{anna}")).error["code"] == "user_not_found"
    assert (await admin.get(path)).json["members"] == 1
    assert (await admin.delete(path)).status == 204
    assert (await admin.get(path)).error["code"] == "group_not_found"


async def test_groups_are_listed_by_name_and_found_by_a_part_of_it(admin: Client, stranger: Client) -> None:
    for name in ("Zebra", "accounting", "50%"):
        await made(admin, name)

    everything = (await admin.get(GROUPS)).json["groups"]
    first = (await admin.get(GROUPS, limit=2)).json
    rest = (await admin.get(GROUPS, after=first["next"])).json
    found = (await stranger.get(GROUPS, find="ACC")).json

    assert [each["name"] for each in everything] == ["50%", "accounting", "Zebra"]
    assert first["groups"] + rest["groups"] == everything
    assert [each["name"] for each in (await admin.get(GROUPS, q="%")).json["groups"]] == ["50%"]
    assert found["groups"] == []
    assert found["names"] == [{"id": everything[1]["id"], "name": "accounting"}]
    # Neither the list, nor letter by letter.
    for query in ({}, {"find": "a"}, {"find": ""}):
        assert (await stranger.get(GROUPS, **query)).status in (400, 403)


async def test_somebody_who_is_added_with_groups_is_in_them_or_not_added(admin: Client) -> None:
    group = await made(admin, "sales")
    refused = await admin.post(USERS, {"name": "anna", "groups": [group["id"], "none"]})

    added = await admin.post(USERS, {"name": "anna", "groups": [group["id"]]})

    assert (refused.status, refused.error["code"]) == (404, "group_not_found")
    members = (await admin.get(f"{GROUPS}/{group['id']}/members")).json["users"]
    assert [each["id"] for each in members] == [added.json["id"]]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101])
async def test_what_cannot_be_seen_is_no_name(admin: Client, name: str) -> None:
    assert (await admin.post(GROUPS, {"name": name})).status == 400


async def test_a_name_is_taken_in_whichever_case_its_letters_are(admin: Client) -> None:
    await made(admin, "Sales")
    other = await made(admin, "Support")

    assert (await admin.post(GROUPS, {"name": "SALES"})).error["code"] == "name_taken"
    refused = await admin.patch(f"{GROUPS}/{other['id']}", {"name": "sales"})
    assert (refused.status, refused.error["code"]) == (409, "name_taken")
    assert (await admin.patch(f"{GROUPS}/{other['id']}", {"name": "SUPPORT"})).status == 200


async def test_who_is_in_a_group_of_the_identity_provider_is_for_the_provider_to_say(
    admin: Client, store: Store
) -> None:
    path = f"{GROUPS}/{await from_provider(store.db, 'staff')}"
    anna = await user_id_of(admin, "anna")

    answers = [
        await admin.put(f"{path}/members/{anna}"),
        await admin.delete(f"{path}/members/{anna}"),
        await admin.patch(path, {"name": "others"}),
    ]

    assert [(each.status, each.error["code"]) for each in answers] == [(409, "managed")] * 3
    assert (await admin.get(path)).json["members"] == 0
    assert (await admin.delete(path)).status == 204


async def test_end_users_and_those_who_are_gone_are_in_no_group(admin: Client, app: ASGIApp) -> None:
    path = f"{GROUPS}/{(await made(admin, 'sales'))['id']}"
    gone = await user_id_of(admin, "gone")
    assert (await admin.delete(f"{USERS}/{gone}?chats=archive")).status == 204

    for user_id in (gone, "nobody"):
        assert (await admin.put(f"{path}/members/{user_id}")).error["code"] == "user_not_found"


async def test_a_user_is_in_fifty_groups_at_most_also_when_added_to_two_at_once(
    database: Database,
) -> None:
    user = await create_user(database, "anna", UserRole.MEMBER)
    groups = [await create_group(database, f"group {n}") for n in range(GROUPS_OF_USER_MAX + 1)]
    for group in groups[: GROUPS_OF_USER_MAX - 1]:
        await add_member(database, group.id, user.id)

    results = await asyncio.gather(
        *(add_member(database, group.id, user.id) for group in groups[-2:]), return_exceptions=True
    )

    assert True in results
    [refused] = [each for each in results if isinstance(each, NotAllowed)]
    assert refused.code == "too_many_groups"


async def test_there_are_a_thousand_groups_at_most_also_of_two_that_are_made_at_once(
    database: Database,
) -> None:
    await database.write(lambda tx: tx.script(ALMOST_A_THOUSAND))

    results = await asyncio.gather(
        *(create_group(database, name) for name in ("one", "two")), return_exceptions=True
    )

    [refused] = [each for each in results if isinstance(each, NotAllowed)]
    assert refused.code == "too_many_groups"
