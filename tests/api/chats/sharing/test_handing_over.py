"""What goes along with a chat that is handed over, and what does not: its workspace, approvals, files."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.types import ASGIApp

from chatd.accounts.users import User
from chatd.api.app import build
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.ids import CallId, ChatId, FileId, UserId
from chatd.domain.message import Visibility
from chatd.domain.people.roles import UserRole
from chatd.domain.setup import SetupChange
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.domain.transitions.chat.change_access import DETACHED, DETACHED_FOR_MODEL, HANDED_OVER
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.workspace.context import Context
from chatd.errors import QuotaReached
from chatd.storage.reads.read import Everything, read_everything
from chatd.storage.tables.files import FileRoom, add_file
from chatd.storage.tables.rules import read_rules
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.workspaces.places import Places
from tests.api.chats.sharing.words import somebody
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves
from tests.words import asks_first, call, create, failure, says, step, user, words_of

ROOT, CHILD = ChatId("chat"), ChatId("child")
DIRECTORY = "/srv/project"


async def everything(store: Store, chat_id: ChatId = ROOT) -> Everything:
    found = await read_everything(store.db, chat_id)
    assert found is not None
    return found


async def a_family(store: Store) -> None:
    """Two chats at rest that work in a directory, of which they were told something."""
    setup = SetupChange(workspace=DIRECTORY, instructions="Be brief.")
    await create_chat(store, replace(create(), setup=setup))
    await create_chat(store, replace(create(chat_id=CHILD, parent=ROOT), setup=setup))
    for chat_id in (ROOT, CHILD):
        await transact(store, chat_id, PinContext(context=Context(workspace=DIRECTORY), over=0))
        await transact(store, chat_id, FailTurn(failure=failure()))


async def hand_over(client: Client, receiver: Client, **fields: object) -> Any:
    path = f"{CHATS}/{ROOT}/transfer"
    assert (await client.post(path, {"to": "anna", **fields})).status == 200
    answer = await receiver.post(f"{path}/accept", {})
    assert answer.status == 200, answer.body
    return answer.json


@pytest.fixture
async def anna(app: ASGIApp, store: Store) -> tuple[Client, User]:
    return await somebody(app, store, "anna")


@proves("people", 32)
async def test_a_workspace_that_is_not_for_the_new_owner_is_detached_and_people_and_models_are_told(
    store: Store, client: Client, anna: tuple[Client, User]
) -> None:
    await a_family(store)

    shown = await hand_over(client, anna[0])

    assert shown["workspace"] is None
    for chat_id in (ROOT, CHILD):
        stored = await everything(store, chat_id)
        assert stored.chat.owner_id == anna[1].id
        # What else it was set up with stays.
        assert (stored.setup.workspace, stored.setup.instructions) == (None, "Be brief.")
        assert (stored.chat.context, stored.resources) == (None, ())
        told = {message.visibility: words_of(message) for message in stored.messages[1:]}
        assert told == {
            Visibility.MODEL: f"user: {DETACHED_FOR_MODEL}",
            Visibility.USER: f"system: {DETACHED}",
        }
    seen = (await anna[0].get(f"{CHATS}/{ROOT}/messages")).json["messages"]
    assert [each["role"] for each in seen] == ["system", "user"]


async def test_a_workspace_for_all_users_goes_along_without_a_word(store: Store, tmp_path: Path) -> None:
    app = build(store, catalog_store=some_catalog_store(store), places=Places(tmp_path, shared=True))
    _, anna = await somebody(app, store, "anna")
    await a_family(store)
    admin, _ = await somebody(app, store, "root", UserRole.ADMIN)
    answer = await admin.post(f"{CHATS}/{ROOT}/transfer", {"to": "anna", "reason": "They left."})
    assert answer.json["done"] is True

    for chat_id in (ROOT, CHILD):
        stored = await everything(store, chat_id)
        assert (stored.chat.owner_id, stored.setup.workspace) == (anna.id, DIRECTORY)
        assert stored.chat.context is not None
        assert len(stored.messages) == 1


async def test_who_is_the_only_user_left_keeps_the_workspace_of_chats_of_a_deleted_one(
    store: Store, admin: Client, owner: UserId
) -> None:
    await a_family(store)
    me = (await admin.get("/api/v1/users/me")).json["id"]

    assert (await admin.delete(f"/api/v1/users/{owner}?chats=transfer&to={me}")).status == 204

    assert (await everything(store)).chat.owner_id == me
    assert (await everything(store)).setup.workspace == DIRECTORY


@proves("people", 32)
async def test_a_call_that_the_owner_of_before_has_approved_does_not_run_for_the_new_one(
    store: Store, client: Client, owner: UserId, anna: tuple[Client, User]
) -> None:
    """It was left open by a turn that has failed, and a retry would have run it."""
    await create_chat(store, create())
    asked = says("Let me.", call("call-1", "execute"))
    await transact(store, ROOT, step(asked, plans=(asks_first("call-1"),)), RequireAction())
    approval = Approval(call_id=CallId("call-1"), decision=Decision.ALLOW)
    await transact(store, ROOT, SubmitActions(actions=(approval,), decided_by=owner))
    await transact(store, ROOT, FailTurn(failure=failure()))

    await hand_over(client, anna[0])

    stored = await everything(store)
    assert stored.chat.open_calls == 0
    assert stored.chat.last_error is not None
    answered = stored.messages[-1].content[0]
    assert HANDED_OVER in str(answered)


async def test_what_the_owner_of_before_allows_always_counts_for_their_own_chats_only(
    store: Store, client: Client, owner: UserId, anna: tuple[Client, User]
) -> None:
    await client.post("/api/v1/rules", {"verdict": "allow", "tool": "execute"})
    await a_family(store)
    assert len((await read_rules(store.db, owner, ROOT)).user) == 1

    await hand_over(client, anna[0], keep="writer")

    now = (await everything(store)).chat.owner_id
    assert (now, (await read_rules(store.db, now, ROOT)).user) == (anna[1].id, ())


async def test_files_of_a_chat_count_for_its_new_owner_and_no_more_for_the_other(
    store: Store, client: Client, owner: UserId, anna: tuple[Client, User]
) -> None:
    async def add(name: str, owner_id: UserId, size: int) -> None:
        await add_file(
            store.db,
            file_id=FileId(name),
            owner_id=owner_id,
            name=name,
            media_type="text/plain",
            data=b"a" * size,
            room=FileRoom(bytes_max=100),
        )

    await add("attached", owner, 80)
    await create_chat(store, create(user("hello", file="attached")))
    await transact(store, ROOT, FailTurn(failure=failure()))

    await hand_over(client, anna[0], keep="reader")

    await add("more", owner, 100)
    with pytest.raises(QuotaReached):
        await add("too much", anna[1].id, 21)
    await add("the rest", anna[1].id, 20)
