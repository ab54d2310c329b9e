"""Which MCP servers a chat uses."""

from typing import Any

import pytest

from chatd.storage.database import Connection
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.traceability import proves

SERVERS = "/api/v1/mcp-servers"
TEXT = [{"type": "text", "text": "hello"}]


async def server(admin: Client, slug: str, **fields: object) -> str:
    answer = await admin.post(
        SERVERS, {"slug": slug, "scope": "deployment", "url": "https://desk.example/mcp", **fields}
    )
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


async def chosen(client: Client, chat: Any) -> Any:
    return (await client.get(f"{CHATS}/{chat['id']}")).json["mcp_servers"]


async def test_a_chat_that_says_nothing_has_what_is_on_by_default(client: Client, admin: Client) -> None:
    await server(admin, "desk")

    assert (await client.start_chat())["mcp_servers"] is None


@proves("mcp-skills-hooks", 10)
async def test_a_new_chat_names_servers_and_gets_the_forced_ones_too(client: Client, admin: Client) -> None:
    desk, forced = await server(admin, "desk"), await server(admin, "forced", availability="force_on")

    assert (await client.start_chat(mcp_servers=["desk"]))["mcp_servers"] == [desk, forced]
    assert (await client.start_chat(mcp_servers=[desk]))["mcp_servers"] == [desk, forced]
    assert (await client.start_chat(mcp_servers=[]))["mcp_servers"] == [forced]


@proves("mcp-skills-hooks", 11)
async def test_a_server_that_became_forced_is_added_with_the_next_choice(
    client: Client, admin: Client
) -> None:
    desk, late = await server(admin, "desk"), await server(admin, "late")
    chat = await client.start_chat(mcp_servers=["desk"])
    await admin.patch(f"{SERVERS}/{late}", {"availability": "force_on"})

    await client.post(
        f"{CHATS}/{chat['id']}/messages", {"content": TEXT, "mcp_servers": ["desk"], "when": "interrupt"}
    )

    assert (await client.patch(f"{CHATS}/{chat['id']}", {"mcp_servers": [desk]})).json["mcp_servers"] == [
        desk,
        late,
    ]


@proves("mcp-skills-hooks", 14)
async def test_servers_that_cannot_be_chosen_are_all_named(client: Client, admin: Client) -> None:
    await server(admin, "desk")
    off = await server(admin, "off", enabled=False)

    answer = await client.post(CHATS, {"content": TEXT, "mcp_servers": ["desk", off, "unknown"]})

    assert (answer.status, answer.error["field"]) == (400, "mcp_servers")
    assert off in answer.error["message"]
    assert "'unknown'" in answer.error["message"]
    assert (await client.get(CHATS)).json["chats"] == []


@proves("api", 29)
@proves("mcp-skills-hooks", 13)
async def test_a_choice_that_was_switched_off_later_may_be_kept_and_not_made_anew(
    client: Client, admin: Client
) -> None:
    desk, other = await server(admin, "desk"), await server(admin, "other")
    chat = await client.start_chat(mcp_servers=[desk])
    await admin.patch(f"{SERVERS}/{desk}", {"enabled": False})
    await admin.patch(f"{SERVERS}/{other}", {"enabled": False})

    again = await client.post(f"{CHATS}/{chat['id']}/messages", {"content": TEXT, "mcp_servers": [desk]})
    anew = await client.post(
        f"{CHATS}/{chat['id']}/messages", {"content": TEXT, "mcp_servers": [desk, other]}
    )

    assert (again.status, anew.status) == (200, 400)
    assert desk not in anew.error["message"]


async def test_another_users_server_cannot_be_chosen(client: Client, admin: Client, store: Store) -> None:
    own = await server(admin, "own")

    async def give_away(tx: Connection) -> None:
        await tx.script("UPDATE mcp_servers SET owner_id = (SELECT id FROM users WHERE name = 'root');")

    await store.db.write(give_away)

    for name in (own, "own"):
        assert (await client.post(CHATS, {"content": TEXT, "mcp_servers": [name]})).status == 400


async def test_a_choice_is_changed_taken_back_and_kept_otherwise(client: Client, admin: Client) -> None:
    desk = await server(admin, "desk")
    chat = await client.start_chat(instructions="Be brief.")
    path = f"{CHATS}/{chat['id']}"

    changed = await client.patch(path, {"mcp_servers": ["desk"], "title": "Papers"})
    assert (changed.json["mcp_servers"], changed.json["title"]) == ([desk], "Papers")
    assert (await client.get(path)).json["instructions"] == "Be brief."
    await client.patch(path, {"title": "Other"})
    assert await chosen(client, chat) == [desk]
    assert (await client.patch(path, {"mcp_servers": None})).json["mcp_servers"] is None


async def test_an_administrator_chooses_no_servers_for_others(client: Client, admin: Client) -> None:
    await server(admin, "desk")
    chat = await client.start_chat()

    answer = await admin.patch(f"{CHATS}/{chat['id']}", {"mcp_servers": ["desk"]})

    assert (answer.status, answer.error["code"]) == (403, "not_permitted")


@proves("mcp-skills-hooks", 12)
@pytest.mark.parametrize("way", ["create", "send", "patch"])
async def test_nothing_is_chosen_while_a_forced_server_cannot_be_read(
    client: Client, admin: Client, store: Store, way: str
) -> None:
    await server(admin, "desk")
    await server(admin, "forced", availability="force_on")
    chat = await client.start_chat()

    async def damage(tx: Connection) -> None:
        await tx.script("UPDATE mcp_servers SET document = '{}' WHERE slug = 'forced';")

    await store.db.write(damage)
    path, choice = f"{CHATS}/{chat['id']}", {"mcp_servers": ["desk"]}
    answer = await {
        "create": lambda: client.post(CHATS, {"content": TEXT, **choice}),
        "send": lambda: client.post(f"{path}/messages", {"content": TEXT, **choice}),
        "patch": lambda: client.patch(path, choice),
    }[way]()

    assert (answer.status, answer.error["code"]) == (409, "mcp_server_unreadable")
