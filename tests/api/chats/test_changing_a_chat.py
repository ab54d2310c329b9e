from typing import Any

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import create, says, send, step, user


async def a_resting_chat(client: Client, store: Store, **fields: object) -> str:
    chat = await client.start_chat("hello", **fields)
    await transact(store, ChatId(chat["id"]), FinishTurn())
    return f"{CHATS}/{chat['id']}"


async def test_all_fields_change_together(client: Client, store: Store) -> None:
    path = await a_resting_chat(client, store, labels={"old": "label"})
    before = (await client.get(path)).json

    answer = await client.patch(path, {"title": "  New  ", "labels": {"new": "label"}, "pin_order": 3})

    assert answer.status == 200
    assert answer.json == before | {
        "title": "New",
        "title_by": "person",
        "labels": {"new": "label"},
        "pin_order": 3,
        "snapshot_version": before["snapshot_version"] + 1,
    }
    assert (await client.get(path)).json == answer.json


async def test_what_is_not_named_stays(client: Client, store: Store) -> None:
    path = await a_resting_chat(client, store, title="Kept", labels={"a": "b"})

    await client.patch(path, {"pin_order": 1})
    chat = (await client.patch(path, {"pin_order": 0})).json

    assert (chat["title"], chat["labels"], chat["pin_order"]) == ("Kept", {"a": "b"}, 0)


async def test_a_running_chat_can_be_renamed(client: Client) -> None:
    chat = await client.start_chat()

    answer = await client.patch(f"{CHATS}/{chat['id']}", {"title": "While it works"})

    assert (answer.json["title"], answer.json["status"]) == ("While it works", "running")


@proves("api", 18, 23)
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": " \t "}, "title"),
        ({"title": "t" * 201}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"title": "nul\0"}, "title"),
        ({"title": "\u202eturned"}, "title"),
        ({"title": None}, "title"),
        ({"title": 5}, "title"),
        ({"labels": {"bad key": "value"}}, "labels"),
        ({"labels": {"key": 5}}, "labels[...]"),
        ({"labels": None}, "labels"),
        ({"pin_order": -1}, "pin_order"),
        ({"pin_order": 10**30}, "pin_order"),
        ({"pin_order": 1.5}, "pin_order"),
        ({"archived": "yes"}, "archived"),
        ({"archived": False}, "archived"),
        ({"archived": True, "pin_order": 1}, "pin_order"),
    ],
)
async def test_one_bad_field_changes_nothing(
    client: Client, store: Store, change: dict[str, Any], field: str
) -> None:
    path = await a_resting_chat(client, store)
    before = (await client.get(path)).json
    good = {"title": "Good", "labels": {"good": "label"}, "pin_order": 1}

    answer = await client.patch(path, good | change)

    assert (answer.status, answer.error["field"]) == (400, field)
    assert (await client.get(path)).json == before


async def test_a_patch_that_names_nothing_is_refused(client: Client, store: Store) -> None:
    answer = await client.patch(await a_resting_chat(client, store), {})

    assert (answer.status, answer.error["code"]) == (400, "nothing_to_change")


@proves("api", 20)
async def test_a_chat_goes_into_the_archive_and_comes_back(client: Client, store: Store) -> None:
    path = await a_resting_chat(client, store)
    await client.patch(path, {"pin_order": 2})

    archived = await client.patch(path, {"archived": True, "title": "Put away"})
    again = await client.patch(path, {"archived": True})
    back = await client.patch(path, {"archived": False, "title": "Taken back"})
    back_again = await client.patch(path, {"archived": False})

    assert (archived.json["archived"], archived.json["title"], archived.json["pin_order"]) == (
        True,
        "Put away",
        0,
    )
    assert (again.status, again.error["field"]) == (400, "archived")
    assert (back.json["archived"], back.json["title"]) == (False, "Taken back")
    assert (back_again.status, back_again.error["field"]) == (400, "archived")


async def test_a_chat_can_be_taken_back_and_pinned_at_once(client: Client, store: Store) -> None:
    path = await a_resting_chat(client, store)
    await client.patch(path, {"archived": True})

    chat = (await client.patch(path, {"archived": False, "pin_order": 1})).json

    assert (chat["archived"], chat["pin_order"]) == (False, 1)


@proves("api", 21)
async def test_a_busy_chat_cannot_be_archived_and_keeps_its_title(client: Client) -> None:
    chat = await client.start_chat()
    path = f"{CHATS}/{chat['id']}"

    answer = await client.patch(path, {"archived": True, "title": "Put away"})

    assert (answer.status, answer.error["hint"]) == (409, "Interrupt the agent first.")
    assert (await client.get(path)).json == chat


async def test_the_owner_says_what_is_read_and_can_take_it_back(client: Client, store: Store) -> None:
    path = await a_resting_chat(client, store)
    await transact(store, ChatId(path.rpartition("/")[2]), send("more"), step(says("done")), FinishTurn())
    chat = (await client.get(path)).json
    assert (chat["has_unread"], chat["last_read_message_id"]) == (True, 0)

    newest = {"last_read_message_id": chat["last_message_id"]}
    read = (await client.patch(path, newest)).json
    again = (await client.patch(path, newest)).json
    unread = (await client.patch(path, {"last_read_message_id": 0})).json

    assert (read["has_unread"], read["last_read_message_id"]) == (False, chat["last_message_id"])
    # What is known already changes nothing, and wakes no viewer.
    assert again["snapshot_version"] == read["snapshot_version"]
    assert (unread["has_unread"], unread["last_read_message_id"]) == (True, 0)
    assert unread["updated_at"] == chat["updated_at"]
    assert [each["has_unread"] for each in (await client.get(CHATS, unread=True)).json["chats"]] == [True]
    assert (await client.get(CHATS, unread=False)).json["chats"] == []


@proves("api", 20)
async def test_an_archived_chat_cannot_be_pinned(client: Client, store: Store) -> None:
    path = await a_resting_chat(client, store)
    await client.patch(path, {"archived": True})

    answer = await client.patch(path, {"pin_order": 1})

    assert (answer.status, answer.error["field"]) == (400, "pin_order")


@proves("api", 19)
async def test_a_chat_that_works_for_another_is_neither_pinned_nor_archived(
    client: Client, store: Store
) -> None:
    parent = await client.start_chat()
    await create_chat(store, create(user("help"), chat_id="child", parent=parent["id"]))

    pinned = await client.patch(f"{CHATS}/child", {"pin_order": 1})
    archived = await client.patch(f"{CHATS}/child", {"archived": True})

    assert (pinned.status, pinned.error["field"]) == (400, "pin_order")
    assert (archived.status, archived.error["code"]) == (400, "not_a_root")


async def test_a_deleted_chat_is_gone(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    path = f"{CHATS}/{chat['id']}"

    answer = await client.delete(path)

    assert (answer.status, answer.body) == (204, b"")
    assert (await client.get(path)).status == 404
    assert (await client.delete(path)).status == 404
    assert (await client.get(CHATS)).json == {"chats": []}
    assert await read_chat(store.db, ChatId(chat["id"])) is None


@proves("api", 16)
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_the_chat_of_another_user_does_not_exist(client: Client, stranger: Client, method: str) -> None:
    chat = await client.start_chat()

    theirs = await stranger.ask(method, f"{CHATS}/{chat['id']}", b'{"title":"Mine"}')
    none = await stranger.ask(method, f"{CHATS}/nothing", b'{"title":"Mine"}')

    assert theirs.status == 404
    assert theirs.error == none.error | {"message": none.error["message"].replace("nothing", chat["id"])}
    assert (await client.get(f"{CHATS}/{chat['id']}")).json == chat


async def test_an_administrator_may_read_archive_and_delete_every_chat_and_not_rename_it(
    client: Client, admin: Client
) -> None:
    chat = await client.start_chat()
    path = f"{CHATS}/{chat['id']}"

    own = {"access": "admin", "pin_order": 0, "has_unread": False, "last_read_message_id": 0}
    assert (await admin.get(path)).json == chat | own
    assert (await admin.get(f"{path}/messages")).status == 200
    assert (await admin.patch(path, {"title": "Checked"})).status == 403
    # What they look at is not read by its owner.
    assert (await admin.patch(path, {"last_read_message_id": 1})).status == 403
    assert (await admin.delete(path)).status == 204


@pytest.mark.parametrize(
    "chat_id", ["%00", "a%00b", "%ff", "%F0%9F%98%80", "'; DROP TABLE chats", "x" * 5000]
)
async def test_a_strange_id_is_simply_not_found(client: Client, chat_id: str) -> None:
    assert (await client.get(f"{CHATS}/{chat_id}")).status == 404
