from typing import Any

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.message import Draft, Role, Visibility
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.test_creating_a_chat import START
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import failure, said, says, send, step, summary

TEXT = {"type": "text", "text": "Name a planet."}
EDIT = {"content": [TEXT]}


async def a_conversation(client: Client, store: Store, *more: Any) -> str:
    """1 hello, 2 hi, 3 and now?, 4 well; at rest."""
    chat = await client.start_chat("hello", model="some/model")
    chat_id = ChatId(chat["id"])
    await transact(store, chat_id, step(says("hi")), FinishTurn())
    await transact(store, chat_id, send("and now?"), step(says("well")), *(more or (FinishTurn(),)))
    return f"{CHATS}/{chat_id}"


def words(page: Any) -> list[str]:
    return [part["text"] for message in reversed(page["messages"]) for part in message["content"]]


@proves("api", 36)
async def test_an_edit_replaces_what_followed_and_runs_again(client: Client, store: Store) -> None:
    path = await a_conversation(client, store)

    answer = await client.patch(f"{path}/messages/3", EDIT)

    assert answer.status == 200
    assert answer.json == {
        "message": {
            "id": 5,
            "chat_id": path.rpartition("/")[2],
            "role": "user",
            "content": [TEXT],
            "created_at": START,
            "created_by": "owner",
        },
        "deleted_message_ids": [3, 4],
        "dropped_queued_ids": [],
        "branch": 2,
    }
    assert words((await client.get(f"{path}/messages")).json) == ["hello", "hi", "Name a planet."]
    chat = (await client.get(path)).json
    assert (chat["status"], chat["branch"], chat["branch_count"]) == ("running", 2, 2)


async def test_an_edited_message_keeps_its_model_unless_told_otherwise(client: Client, store: Store) -> None:
    path = await a_conversation(client, store)

    kept = (await client.patch(f"{path}/messages/1", EDIT)).json["message"]
    changed = (await client.patch(f"{path}/messages/5", EDIT | {"model": "other/model"})).json["message"]

    assert (kept["model"], changed["model"]) == ("some/model", "other/model")


async def test_an_edit_keeps_what_waits_in_the_queue(client: Client, store: Store) -> None:
    path = await a_conversation(client, store, send("later"))
    waiting = (await client.get(path)).json["queue"]

    answer = await client.patch(f"{path}/messages/3", EDIT)

    assert answer.json["dropped_queued_ids"] == []
    assert len(waiting) == 1
    assert (await client.get(path)).json["queue"] == waiting


async def test_an_edit_that_drops_the_queue_says_what_went(client: Client, store: Store) -> None:
    path = await a_conversation(client, store, send("later"))
    (waiting,) = (await client.get(path)).json["queue"]

    answer = await client.patch(f"{path}/messages/3", EDIT | {"queue": "drop"})

    assert answer.json["dropped_queued_ids"] == [waiting["id"]]
    assert (await client.get(path)).json["queue"] == []


async def test_what_only_the_model_saw_is_not_named_as_deleted(client: Client, store: Store) -> None:
    hidden = Draft(role=Role.SYSTEM, content=said("be kind"), visibility=Visibility.MODEL)
    path = await a_conversation(client, store, step(hidden), FinishTurn())

    edited = (await client.patch(f"{path}/messages/3", EDIT)).json

    assert edited["deleted_message_ids"] == [3, 4]


@proves("api", 37)
@pytest.mark.parametrize(
    ("message_id", "status"),
    [("2", 400), ("9", 404), ("0", 404), ("x", 400), ("-1", 400), ("9" * 30, 400), ("\u0663", 400)],
)
async def test_what_is_no_message_of_a_user_cannot_be_edited(
    client: Client, store: Store, message_id: str, status: int
) -> None:
    path = await a_conversation(client, store)

    answer = await client.patch(f"{path}/messages/{message_id}", EDIT)

    assert answer.status == status
    assert answer.error["code"] in {"not_a_user_message", "message_not_found", "bad_value"}
    assert len((await client.get(f"{path}/messages")).json["messages"]) == 4


async def test_a_summary_cannot_be_edited(client: Client, store: Store) -> None:
    path = await a_conversation(client, store, step(*summary("so far")), FinishTurn())

    assert (await client.patch(f"{path}/messages/5", EDIT)).status == 404


async def test_only_the_owner_edits(client: Client, store: Store, admin: Client, stranger: Client) -> None:
    path = await a_conversation(client, store)

    assert (await admin.patch(f"{path}/messages/3", EDIT)).status == 403
    assert (await stranger.patch(f"{path}/messages/3", EDIT)).status == 404


@proves("api", 28)
async def test_an_archived_chat_is_not_edited(client: Client, store: Store) -> None:
    path = await a_conversation(client, store)
    await client.patch(path, {"archived": True})

    assert (await client.patch(f"{path}/messages/3", EDIT)).error["code"] == "archived"
    assert (await client.post(f"{path}/branches/1/switch", {})).error["code"] == "archived"


async def test_branches_are_listed_and_can_be_entered_again(client: Client, store: Store) -> None:
    path = await a_conversation(client, store)
    await client.patch(f"{path}/messages/3", EDIT)
    await transact(store, ChatId(path.rpartition("/")[2]), step(says("Mars.")), FinishTurn())

    assert (await client.get(f"{path}/branches")).json == {
        "branches": [
            {"id": 1, "active": False, "parent_id": None, "fork_id": None, "created_at": START},
            {"id": 2, "active": True, "parent_id": 1, "fork_id": 3, "created_at": START},
        ]
    }

    answer = await client.post(f"{path}/branches/1/switch", {})

    assert (answer.status, answer.json["branch"], answer.json["status"]) == (200, 1, "waiting")
    assert words((await client.get(f"{path}/messages")).json) == ["hello", "hi", "and now?", "well"]
    branches = (await client.get(f"{path}/branches")).json["branches"]
    assert [branch["active"] for branch in branches] == [True, False]


async def test_a_chat_that_was_never_edited_has_one_branch(client: Client) -> None:
    chat = await client.start_chat()

    branches = (await client.get(f"{CHATS}/{chat['id']}/branches")).json["branches"]

    assert [(branch["id"], branch["active"]) for branch in branches] == [(1, True)]


@pytest.mark.parametrize(("branch", "status"), [("1", 404), ("2", 404), ("0", 404), ("main", 400)])
async def test_there_is_no_way_to_a_branch_that_is_not_another(
    client: Client, store: Store, branch: str, status: int
) -> None:
    path = await a_conversation(client, store)

    assert (await client.post(f"{path}/branches/{branch}/switch", {})).status == status


async def test_a_working_agent_is_not_moved_to_another_branch(client: Client, store: Store) -> None:
    path = await a_conversation(client, store)
    await client.patch(f"{path}/messages/3", EDIT)

    assert (await client.post(f"{path}/branches/1/switch", {})).status == 409


async def test_a_failed_chat_can_go_back_to_its_other_branch(client: Client, store: Store) -> None:
    path = await a_conversation(client, store)
    await client.patch(f"{path}/messages/3", EDIT)
    await transact(store, ChatId(path.rpartition("/")[2]), FailTurn(failure=failure()))

    assert (await client.post(f"{path}/branches/1/switch", {})).json["last_error"] is None


async def test_the_branches_of_another_user_do_not_exist(client: Client, stranger: Client) -> None:
    chat = await client.start_chat()

    assert (await stranger.get(f"{CHATS}/{chat['id']}/branches")).status == 404
    assert (await stranger.post(f"{CHATS}/{chat['id']}/branches/1/switch", {})).status == 404
