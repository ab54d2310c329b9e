"""MCP servers that only members of some groups are given."""

from typing import Any

import pytest

from chatd.accounts.groups import add_member, create_group, delete_group, remove_member, rename_group
from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.inventory import McpInventory
from chatd.catalog.mcp.store import McpStore
from chatd.domain.ids import UserId
from chatd.domain.people.given import GROUPS_GIVEN_MAX
from chatd.kit.outbound.reach import Reach
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.catalog.mcp.oauth.world import services_at
from tests.traceability import proves

SERVERS = "/api/v1/mcp-servers"
TEXT = [{"type": "text", "text": "hello"}]
DESK = {"slug": "desk", "scope": "deployment", "url": "https://desk.example/mcp"}
OAUTH = {
    "auth_type": "oauth2",
    "oauth2_client_id": "chatd",
    "oauth2_auth_url": "https://sign.example/authorize",
    "oauth2_token_url": "https://sign.example/token",
}


@pytest.fixture
async def research(store: Store, owner: UserId) -> str:
    """A group with the owner in it."""
    group = await create_group(store.db, "Research")
    await add_member(store.db, group.id, owner)
    return group.id


async def given(admin: Client, groups: object, **fields: object) -> str:
    answer = await admin.post(SERVERS, {**DESK, "groups": groups, **fields})
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


async def slugs(caller: Client) -> list[str]:
    return [each["slug"] for each in (await caller.get(SERVERS)).json["mcp_servers"]]


async def in_use(store: Store, user_id: UserId, chat: Any) -> list[str]:
    """What a turn of this chat works with."""
    inventory: McpInventory = await McpStore(store, Secrets(bytes(32))).inventory(user_id)
    return [each.slug for each in inventory.in_use(chat["mcp_servers"])]


async def test_a_server_for_a_group_is_seen_by_its_members_and_administrators(
    client: Client, stranger: Client, admin: Client, research: str
) -> None:
    desk = await given(admin, ["research"])

    assert (await slugs(client), await slugs(stranger), await slugs(admin)) == (["desk"], [], ["desk"])
    assert "groups" not in (await client.get(f"{SERVERS}/{desk}")).json
    shown = (await admin.get(f"{SERVERS}/{desk}")).json
    assert shown["groups"] == [{"id": research, "name": "Research"}]
    assert shown["unavailable_reason"] == "not_given"


@pytest.mark.parametrize("path", ["", "/test", "/oauth2/connect", "/oauth2/finish"])
async def test_for_all_others_it_does_not_exist(
    stranger: Client, admin: Client, research: str, path: str
) -> None:
    desk = await given(admin, [research], **OAUTH)
    bodies: dict[str, Any] = {"/oauth2/finish": {"code": "1234"}}

    if path:
        answer = await stranger.post(f"{SERVERS}/{desk}{path}", bodies.get(path))
    else:
        answer = await stranger.get(f"{SERVERS}/{desk}")

    assert (answer.status, answer.error["code"]) == (404, "mcp_server_not_found")


@proves("mcp-skills-hooks", 6, 14)
async def test_who_is_not_given_a_server_cannot_choose_it(
    client: Client, stranger: Client, admin: Client, research: str
) -> None:
    desk = await given(admin, [research])

    for caller in (stranger, admin):
        for name in (desk, "desk"):
            refused = await caller.post(CHATS, {"content": TEXT, "mcp_servers": [name]})
            assert (refused.status, refused.error["field"]) == (400, "mcp_servers")
            assert name in refused.error["message"]
    assert (await client.start_chat(mcp_servers=["desk"]))["mcp_servers"] == [desk]


@proves("mcp-skills-hooks", 15)
@pytest.mark.parametrize("way", ["member", "groups"])
async def test_a_chat_goes_on_with_a_server_that_its_owner_is_not_given_any_more(
    client: Client, admin: Client, store: Store, owner: UserId, research: str, way: str
) -> None:
    desk = await given(admin, [research], availability="default_off")
    chat = await client.start_chat(mcp_servers=[desk])
    if way == "member":
        await remove_member(store.db, research, owner)
    else:
        await admin.patch(f"{SERVERS}/{desk}", {"groups": []})

    again = await client.post(f"{CHATS}/{chat['id']}/messages", {"content": TEXT, "mcp_servers": [desk]})
    anew = await client.post(CHATS, {"content": TEXT, "mcp_servers": [desk]})
    now = (await client.get(f"{CHATS}/{chat['id']}")).json

    assert (again.status, anew.status) == (200, 400)
    assert await in_use(store, owner, now) == ["desk"]
    await admin.patch(f"{SERVERS}/{desk}", {"enabled": False})
    assert await in_use(store, owner, now) == []


@proves("mcp-skills-hooks", 15)
@pytest.mark.parametrize("availability", ["default_on", "force_on"])
async def test_a_chat_that_has_chosen_nothing_keeps_what_it_was_made_with(
    client: Client,
    stranger: Client,
    admin: Client,
    store: Store,
    owner: UserId,
    research: str,
    availability: str,
) -> None:
    desk = await given(admin, [research], availability=availability)
    usual = await given(admin, None, slug="usual")
    chat, other = await client.start_chat(), await stranger.start_chat()
    await remove_member(store.db, research, owner)

    assert chat["mcp_servers"] == [desk, usual]
    assert other["mcp_servers"] is None
    assert await in_use(store, owner, chat) == ["desk", "usual"]
    assert await in_use(store, owner, await client.start_chat()) == ["usual"]


async def test_a_group_that_does_not_exist_is_refused(admin: Client, research: str) -> None:
    desk = await given(admin, None)
    answers = [
        await admin.post(SERVERS, {**DESK, "slug": "other", "groups": [research, "nowhere"]}),
        await admin.patch(f"{SERVERS}/{desk}", {"groups": ["nowhere"]}),
    ]

    for answer in answers:
        assert (answer.status, answer.error["code"], answer.error["field"]) == (
            400,
            "group_not_found",
            "groups",
        )
        assert "'nowhere'" in answer.error["message"]
        assert research not in answer.error["message"]
    many = [research] * (GROUPS_GIVEN_MAX + 1)
    assert (await admin.patch(f"{SERVERS}/{desk}", {"groups": many})).status == 400
    assert (await admin.get(f"{SERVERS}/{desk}")).json["groups"] is None


async def test_a_group_that_was_deleted_gives_a_server_to_nobody(
    client: Client, admin: Client, store: Store, research: str
) -> None:
    desk = await given(admin, [research])
    await delete_group(store.db, research)

    assert (await slugs(client), await slugs(admin)) == ([], ["desk"])
    assert (await admin.get(f"{SERVERS}/{desk}")).json["groups"] == []
    assert (await admin.patch(f"{SERVERS}/{desk}", {"description": "Papers."})).status == 200
    # Nor does one that has its name later.
    await create_group(store.db, "Research")
    assert (await admin.get(f"{SERVERS}/{desk}")).json["groups"] == []


async def test_groups_are_kept_by_id_each_once_until_it_is_for_everyone_again(
    client: Client, admin: Client, store: Store, research: str
) -> None:
    desk = await given(admin, ["RESEARCH", research])
    await rename_group(store.db, research, "Science")

    assert (await admin.get(f"{SERVERS}/{desk}")).json["groups"] == [{"id": research, "name": "Science"}]
    assert (await admin.patch(f"{SERVERS}/{desk}", {"groups": None})).json["groups"] is None
    assert (await client.start_chat())["mcp_servers"] is None


async def test_a_users_own_server_is_their_own_and_given_to_nobody(
    admin: Client, store: Store, owner: UserId, research: str
) -> None:
    app = build(store, mcp=services_at(store, Reach(private_hosts=True)))
    client = Client(app, await create_token(store.db, owner, "permissive"))
    await given(admin, [research], slug="papers")
    own = {"slug": "own", "url": "https://desk.example/mcp"}
    refused = await client.post(SERVERS, {**own, "groups": [research]})
    added = await client.post(SERVERS, own)

    assert (refused.status, refused.error["field"]) == (400, "groups")
    assert (added.status, added.json.get("groups")) == (201, None)
    assert await slugs(client) == ["papers", "own"]
    patched = await client.patch(f"{SERVERS}/{added.json['id']}", {"groups": ["nowhere"]})
    assert (patched.status, patched.error["code"]) == (400, "not_together")
