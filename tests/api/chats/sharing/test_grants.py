"""Sharing a chat: who is let in, by what, and how it is taken back."""

from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.grants import GRANTS_MAX
from chatd.domain.people.permit import Policy, Sharing
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.kit.clock import rfc3339
from chatd.settings.values import Settings
from chatd.storage.transactions.transact import Store, create_chat
from tests.api.chats.sharing.words import a_group, share, somebody
from tests.api.client import CHATS, Client
from tests.clock import START_MICROS, MovedClock
from tests.traceability import proves
from tests.words import user as user_says

SAID = {"content": [{"type": "text", "text": "hello"}]}


@pytest.fixture
async def chat_id(client: Client) -> str:
    return str((await client.start_chat())["id"])


async def test_who_was_let_in_is_told_so_and_the_owner_sees_who(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, user = await somebody(app, store, "anna")
    assert (await anna.get(f"{CHATS}/{chat_id}")).status == 404

    await share(client, chat_id, "user/Anna")

    seen = (await anna.get(f"{CHATS}/{chat_id}")).json
    assert (seen["access"], seen["shared"], seen["owner"]["name"]) == ("reader", True, "owner")
    assert (await client.get(f"{CHATS}/{chat_id}")).json["shared"] is True
    listed = (await client.get(f"{CHATS}/{chat_id}/grants")).json["grants"]
    assert listed == [
        {
            "kind": "user",
            "subject_id": user.id,
            "name": "anna",
            "display_name": "",
            "role": "reader",
            "made_by": "owner",
            "made_at": listed[0]["made_at"],
            "expires_at": None,
        }
    ]
    assert (await client.get(f"{CHATS}/{chat_id}/grants/user/{user.id}")).json == listed[0]


@proves("people", 22)
async def test_a_reader_reads_and_does_nothing_else(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna")
    path = f"{CHATS}/{chat_id}"

    refused = [
        await anna.post(f"{path}/messages", SAID),
        await anna.post(f"{path}/interrupt", {}),
        await anna.post(f"{path}/actions", {"approvals": [{"tool_call_id": "1", "decision": "allow"}]}),
        await anna.patch(f"{path}/messages/1", SAID),
        await anna.patch(path, {"title": "Mine"}),
        await anna.put(f"{path}/grants/everyone/all", {"role": "reader"}),
        await anna.get(f"{path}/branches"),
        await anna.get(f"{path}/debug/runs"),
    ]

    assert {(each.status, each.error["code"]) for each in refused} == {(403, "not_permitted")}


@proves("people", 27)
async def test_what_a_writer_sends_is_theirs_and_the_chat_stays_the_owners(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, user = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna", "writer")

    sent = (await anna.post(f"{CHATS}/{chat_id}/messages", SAID)).json

    assert sent["queued_message"]["created_by"] == user.id
    assert (await client.get(f"{CHATS}/{chat_id}")).json["owner_id"] == "owner"


async def test_a_writer_takes_back_only_what_they_have_sent(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna", "writer")
    own = (await anna.post(f"{CHATS}/{chat_id}/messages", SAID)).json["queued_message"]["id"]
    others = (await client.post(f"{CHATS}/{chat_id}/messages", SAID)).json["queued_message"]["id"]

    assert (await anna.delete(f"{CHATS}/{chat_id}/queue/{others}")).error["code"] == "not_permitted"
    assert (await anna.delete(f"{CHATS}/{chat_id}/queue/{own}")).status == 204
    assert (await client.delete(f"{CHATS}/{chat_id}/queue/{others}")).status == 204


@proves("people", 29)
async def test_a_writer_attaches_files_of_their_own_and_those_of_the_chat_and_no_others(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    berta, _ = await somebody(app, store, "berta")
    await share(client, chat_id, "user/anna", "writer")
    annas, bertas, owners, linked = [await _uploaded(each) for each in (anna, berta, client, client)]
    assert (await client.post(f"{CHATS}/{chat_id}/messages", _with_file(linked))).status == 200

    path = f"{CHATS}/{chat_id}/messages"
    answers = [await anna.post(path, _with_file(file)) for file in (annas, linked, bertas, owners)]

    assert [each.status for each in answers] == [200, 200, 400, 400]
    assert {each.error["code"] for each in answers[2:]} == {"file_unavailable"}
    # What is attached is read by all who may read the chat, and nothing else is.
    assert (await client.get(f"/api/v1/files/{annas}")).status == 200
    assert (await anna.get(f"/api/v1/files/{linked}")).status == 200
    assert (await anna.get(f"/api/v1/files/{owners}")).status == 404
    assert (await berta.get(f"/api/v1/files/{linked}")).status == 404


async def test_the_stronger_grant_counts_and_removing_one_leaves_the_other(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, user = await somebody(app, store, "anna")
    design = await a_group(store, user.id)
    await share(client, chat_id, f"group/{design}", "writer")
    await share(client, chat_id, "user/anna", "reader")
    path = f"{CHATS}/{chat_id}"
    assert (await anna.get(path)).json["access"] == "writer"

    await client.delete(f"{path}/grants/group/{design}")
    assert (await anna.get(path)).json["access"] == "reader"

    await share(client, chat_id, "everyone/all", "writer")
    assert (await anna.get(path)).json["access"] == "writer"
    await client.delete(f"{path}/grants/everyone/all")
    await client.delete(f"{path}/grants/user/anna")
    assert (await anna.get(path)).status == 404


async def test_a_group_that_is_deleted_takes_its_grants_along(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, user = await somebody(app, store, "anna")
    design = await a_group(store, user.id)
    await share(client, chat_id, f"group/{design}")

    gone = f"DELETE FROM groups WHERE id = '{design}';"  # noqa: S608 - an id of ours
    await store.db.write(lambda tx: tx.script(gone))

    assert (await anna.get(f"{CHATS}/{chat_id}")).status == 404
    assert (await client.get(f"{CHATS}/{chat_id}/grants")).json == {"grants": []}


async def test_a_grant_with_an_end_counts_until_then(
    app: ASGIApp, store: Store, client: Client, chat_id: str, clock: MovedClock
) -> None:
    anna, _ = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna", expires_at=rfc3339(START_MICROS + 60_000_000))
    assert (await anna.get(f"{CHATS}/{chat_id}")).status == 200

    await clock.advance(61)

    assert (await anna.get(f"{CHATS}/{chat_id}")).status == 404
    over = {"role": "reader", "expires_at": rfc3339(START_MICROS)}
    answer = await client.put(f"{CHATS}/{chat_id}/grants/user/anna", over)
    assert answer.error["field"] == "expires_at"


async def test_readers_give_up_what_is_their_own_and_see_nothing_of_the_others(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, user = await somebody(app, store, "anna")
    await somebody(app, store, "berta")
    await share(client, chat_id, "user/anna")
    await share(client, chat_id, "user/berta")
    path = f"{CHATS}/{chat_id}/grants"

    assert [each["name"] for each in (await anna.get(path)).json["grants"]] == ["anna"]
    assert (await anna.delete(f"{path}/user/berta")).error["code"] == "grant_not_found"
    assert (await anna.put(f"{path}/user/{user.id}", {"role": "writer"})).status == 403
    assert (await anna.delete(f"{path}/user/{user.id}")).status == 204
    assert (await anna.get(path)).status == 404


async def test_to_readers_somebody_with_access_somebody_without_and_nobody_are_the_same(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    """Or else who may not look for people would find out their names and ids, and with whom it is shared."""
    vera, _ = await somebody(app, store, "vera", UserRole.VIEWER)
    await share(client, chat_id, "user/vera")
    await somebody(app, store, "let-in")
    await share(client, chat_id, "user/let-in", "writer")
    await somebody(app, store, "not-let-in")
    group_id = await a_group(store)
    grants = f"{CHATS}/{chat_id}/grants"

    async def told(method: str, subject: str) -> tuple[int, Any]:
        body = b'{"role": "reader"}' if method == "PUT" else b""
        answer = await vera.ask(method, f"{grants}/{subject}", body)
        return answer.status, answer.error

    for method in ("GET", "DELETE", "PUT"):
        users = [await told(method, f"user/{name}") for name in ("let-in", "not-let-in", "no-user")]
        assert users == [users[0]] * 3
        groups = [await told(method, f"group/{name}") for name in (group_id, "no-group")]
        assert groups == [groups[0]] * 2


async def test_administrators_narrow_and_never_widen(
    app: ASGIApp, store: Store, client: Client, admin: Client, chat_id: str
) -> None:
    await somebody(app, store, "anna")
    path = f"{CHATS}/{chat_id}/grants/user/anna"
    assert (await admin.put(path, {"role": "reader"})).error["code"] == "not_permitted"
    await share(client, chat_id, "user/anna", "writer")

    assert (await admin.put(path, {"role": "reader"})).status == 200
    assert (await admin.put(path, {"role": "writer"})).error["code"] == "not_permitted"
    assert (await admin.delete(path)).status == 204


@proves("api", 64)
async def test_a_chat_that_works_for_another_is_shared_with_it_and_not_by_itself(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    child = await _child(store, chat_id)
    await share(client, chat_id, "user/anna")

    assert (await anna.get(f"{CHATS}/{child}")).json["access"] == "reader"
    answer = await client.put(f"{CHATS}/{child}/grants/user/anna", {"role": "writer"})
    assert (answer.status, answer.error["code"]) == (400, "not_a_root")


@proves("api", 64)
async def test_nobody_who_is_not_there_is_granted_anything(client: Client, chat_id: str) -> None:
    path = f"{CHATS}/{chat_id}/grants"

    assert (await client.put(f"{path}/user/nobody", {"role": "reader"})).error["code"] == "user_not_found"
    assert (await client.put(f"{path}/group/none", {"role": "reader"})).error["code"] == "group_not_found"
    assert (await client.put(f"{path}/everyone/some", {"role": "reader"})).error["code"] == "grant_not_found"
    assert (await client.put(f"{path}/robot/1", {"role": "reader"})).status == 404
    assert (await client.put(f"{path}/user/owner", {"role": "reader"})).error["code"] == "is_owner"
    assert (await client.delete(f"{path}/user/owner")).error["code"] == "grant_not_found"


async def test_a_chat_is_shared_with_a_bounded_number(client: Client, store: Store, chat_id: str) -> None:
    await store.db.write(
        lambda tx: tx.run_many(
            "save_grant", [(chat_id, "user", f"user {n}", "reader", "owner", None) for n in range(GRANTS_MAX)]
        )
    )

    answer = await client.put(f"{CHATS}/{chat_id}/grants/everyone/all", {"role": "reader"})

    assert answer.error["code"] == "too_many_grants"


@proves("api", 65)
@pytest.mark.parametrize(
    ("sharing", "readers"),
    [(Sharing.OFF, []), (Sharing.PEOPLE, ["anna"]), (Sharing.EVERYONE, ["anna", "berta"])],
)
async def test_what_was_shared_beyond_the_policy_sleeps(
    app: ASGIApp, store: Store, client: Client, chat_id: str, sharing: Sharing, readers: list[str]
) -> None:
    people = {name: await somebody(app, store, name) for name in ("anna", "berta")}
    await share(client, chat_id, "user/anna")
    await share(client, chat_id, "everyone/all")
    bounded = build(store, policy=Policy(sharing=sharing))

    answers = {
        name: (await Client(bounded, each.token).get(f"{CHATS}/{chat_id}")).status
        for name, (each, _) in people.items()
    }

    assert [name for name, status in answers.items() if status == 200] == readers
    owner = Client(bounded, await create_token(store.db, UserId("owner"), "other"))
    widened = await owner.put(f"{CHATS}/{chat_id}/grants/everyone/all", {"role": "writer"})
    assert (widened.status == 200) is (sharing is Sharing.EVERYONE)


async def test_who_only_views_reads_what_they_were_let_write(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    vera, _ = await somebody(app, store, "vera", UserRole.VIEWER)
    await share(client, chat_id, "user/vera", "writer")

    assert (await vera.post(f"{CHATS}/{chat_id}/messages", SAID)).status == 403
    assert "queue" not in (await vera.get(f"{CHATS}/{chat_id}")).json


@proves("people", 28)
async def test_marks_are_everybodys_own(app: ASGIApp, store: Store, client: Client, chat_id: str) -> None:
    anna, _ = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna")
    path = f"{CHATS}/{chat_id}"

    assert (await anna.put(f"{path}/mark", {"read_id": 1, "pin_order": 3, "muted": True})).json == {
        "read_id": 1,
        "pin_order": 3,
        "muted": True,
        "has_unread": False,
    }
    assert (await client.put(f"{path}/mark", {"pin_order": 7})).json["pin_order"] == 7
    assert (await anna.patch(path, {"pin_order": 4})).json["pin_order"] == 4

    assert await _marks(client, path) == (0, 7, False)
    assert await _marks(anna, path) == (1, 4, True)
    assert (await client.put(f"{path}/mark", {"muted": True, "read_id": 1})).json["muted"] is True
    assert await _marks(client, path) == (1, 7, True)
    assert await _marks(anna, path) == (1, 4, True)


async def _marks(client: Client, path: str) -> tuple[int, int, bool]:
    chat = (await client.get(path)).json
    return chat["last_read_message_id"], chat["pin_order"], chat["muted"]


async def _uploaded(client: Client) -> str:
    answer = await client.ask(
        "POST",
        "/api/v1/files",
        b"words",
        headers={"content-type": "text/plain", "content-disposition": 'attachment; filename="a.txt"'},
    )
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


def _with_file(file_id: str) -> object:
    return {"content": [{"type": "file", "file_id": file_id}]}


async def _child(store: Store, chat_id: str) -> ChatId:
    child = ChatId("child")
    command = CreateChat(
        id=child,
        owner_id=UserId("owner"),
        messages=(user_says("look"),),
        title="A child",
        parent_id=ChatId(chat_id),
        root_id=ChatId(chat_id),
    )
    await create_chat(store, command)
    return child


async def test_pages_are_told_with_whom_chats_may_be_shared_and_at_first_that_is_by_name(
    store: Store, client: Client
) -> None:
    assert Settings(data_dir=Path("data")).policy.sharing is Sharing.PEOPLE

    for sharing in Sharing:
        caller = Client(build(store, policy=Policy(sharing=sharing)), client.token)
        assert (await caller.get("/api/v1/permits")).json["sharing"] == sharing
