"""Chats that work for another one, as callers see and stop them."""

from msgspec.structs import replace

from chatd.domain.ids import ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import asks_first, call, create, says, step, user


async def a_family(client: Client, store: Store, *children: str) -> str:
    """A root that runs, with these children, which run as well."""
    root = (await client.start_chat("hello"))["id"]
    owner = (await client.get(f"{CHATS}/{root}")).json["owner_id"]
    for name in children:
        command = create(user("Work."), chat_id=name, parent=root)
        await create_chat(store, replace(command, owner_id=owner, title=name))
    return f"{CHATS}/{root}"


async def statuses(client: Client, path: str) -> list[str]:
    chats = (await client.get(f"{path}/children")).json["chats"]
    return [(await client.get(path)).json["status"], *sorted(f"{c['id']} {c['status']}" for c in chats)]


async def test_children_are_listed_with_their_parent_and_nowhere_else(client: Client, store: Store) -> None:
    path = await a_family(client, store, "one", "two")
    await transact(store, ChatId("one"), step(says("", call("c", "execute")), plans=(asks_first("c"),)))
    await transact(store, ChatId("one"), RequireAction())

    children = (await client.get(f"{path}/children")).json["chats"]
    listed = (await client.get(CHATS)).json["chats"]

    assert [child["id"] for child in children] == ["one", "two"]
    assert all(child["parent_chat_id"] == child["root_chat_id"] == listed[0]["id"] for child in children)
    assert [each["tool_name"] for each in children[0]["waiting_for"]] == ["execute"]
    assert len(listed) == 1


async def test_a_stop_reaches_the_children(client: Client, store: Store) -> None:
    path = await a_family(client, store, "one", "two")
    await transact(store, ChatId("two"), FinishTurn())

    answer = await client.post(f"{path}/interrupt", {})

    assert answer.status == 200
    assert await statuses(client, path) == ["interrupting", "one interrupting", "two waiting"]


async def test_a_stop_can_be_for_the_parent_alone(client: Client, store: Store) -> None:
    path = await a_family(client, store, "one")

    await client.post(f"{path}/interrupt", {"cascade": False})

    assert await statuses(client, path) == ["interrupting", "one running"]


async def test_a_parent_at_rest_is_told_to_stop_what_works_for_it(client: Client, store: Store) -> None:
    path = await a_family(client, store, "one")
    await transact(store, ChatId(path.rpartition("/")[2]), FinishTurn())

    answer = await client.post(f"{path}/interrupt", {})
    refused = await client.post(f"{path}/interrupt", {"cascade": False})

    assert (answer.status, answer.json["status"]) == (200, "waiting")
    assert await statuses(client, path) == ["waiting", "one interrupting"]
    assert refused.status == 409


async def test_a_child_is_stopped_by_itself(client: Client, store: Store) -> None:
    path = await a_family(client, store, "one", "two")

    await client.post(f"{CHATS}/one/interrupt", {})

    assert await statuses(client, path) == ["running", "one interrupting", "two running"]


@proves("subagents", 58, 59)
async def test_a_family_is_archived_and_taken_back_as_a_whole(client: Client, store: Store) -> None:
    path = await a_family(client, store, "one", "two")
    for chat_id in (path.rpartition("/")[2], "one"):
        await transact(store, ChatId(chat_id), FinishTurn())
    refused = await client.patch(path, {"archived": True})
    archived = [(await client.get(f"{CHATS}/{name}")).json["archived"] for name in ("one", "two")]
    await transact(store, ChatId("two"), FinishTurn())

    put_away = await client.patch(path, {"archived": True})
    all_away = [child["archived"] for child in (await client.get(f"{path}/children")).json["chats"]]
    await client.patch(path, {"archived": False})
    all_back = [child["archived"] for child in (await client.get(f"{path}/children")).json["chats"]]

    assert (refused.status, refused.error["code"]) == (409, "agent_at_work")
    assert "'two'" in refused.error["message"]
    assert archived == [False, False]
    assert (put_away.status, all_away, all_back) == (200, [True, True], [False, False])


@proves("subagents", 60)
async def test_a_child_is_neither_archived_nor_deleted_by_itself(client: Client, store: Store) -> None:
    await a_family(client, store, "one")
    await transact(store, ChatId("one"), FinishTurn())

    archived = await client.patch(f"{CHATS}/one", {"archived": True})
    deleted = await client.ask("DELETE", f"{CHATS}/one")

    assert (archived.status, archived.error["code"]) == (400, "not_a_root")
    assert (deleted.status, deleted.error["code"]) == (400, "not_a_root")
    assert (await client.get(f"{CHATS}/one")).status == 200


async def test_a_family_is_deleted_as_a_whole(client: Client, store: Store) -> None:
    path = await a_family(client, store, "one", "two")

    await client.ask("DELETE", path)

    assert [(await client.get(f"{CHATS}/{name}")).status for name in ("one", "two")] == [404, 404]
