"""The workspace of a new chat."""

from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from chatd.workspaces.places import Places
from chatd.workspaces.protection import Level, Protection
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    return tmp_path


def serving(store: Store, places: Places) -> ASGIApp:
    return build(store, catalog_store=some_catalog_store(store), places=places)


async def asking(store: Store, owner: UserId, places: Places) -> Client:
    return Client(serving(store, places), await create_token(store.db, owner, "test"))


async def test_a_new_chat_works_in_the_workspace_of_the_server(
    store: Store, owner: UserId, root: Path
) -> None:
    client = await asking(store, owner, Places(root))

    chat = await client.start_chat("hello")

    assert chat["workspace"] == str(root)
    assert (await client.get(f"{CHATS}/{chat['id']}")).json["workspace"] == str(root)


async def test_a_new_chat_can_name_a_directory_inside_of_it_or_none(
    store: Store, owner: UserId, root: Path
) -> None:
    client = await asking(store, owner, Places(root))

    assert (await client.start_chat("hello", workspace="inner"))["workspace"] == str(root / "inner")
    assert (await client.start_chat("hello", workspace=None))["workspace"] is None


@proves("api", 10)
async def test_a_directory_outside_of_it_is_refused(store: Store, owner: UserId, root: Path) -> None:
    client = await asking(store, owner, Places(root / "inner"))
    body = {"content": [{"type": "text", "text": "hello"}], "workspace": str(root)}

    refused = await client.post(CHATS, body)

    assert (refused.status, refused.json["error"]["field"]) == (400, "workspace")
    assert (await client.get(CHATS)).json["chats"] == []


async def test_a_server_without_a_workspace_gives_none(client: Client) -> None:
    assert (await client.start_chat("hello"))["workspace"] is None
    body = {"content": [{"type": "text", "text": "hello"}], "workspace": "."}
    assert (await client.post(CHATS, body)).json["error"]["code"] == "no_workspace"


async def test_with_several_users_it_is_off_unless_the_administrator_says_so(
    store: Store, owner: UserId, root: Path
) -> None:
    client = await asking(store, owner, Places(root))
    await create_user(store.db, "second", UserRole.MEMBER)
    body = {"content": [{"type": "text", "text": "hello"}], "workspace": "inner"}

    assert (await client.start_chat("hello"))["workspace"] is None
    refused = await client.post(CHATS, body)
    assert (refused.status, refused.json["error"]["code"]) == (403, "workspace_not_shared")

    shared = await asking(store, owner, Places(root, shared=True))
    assert (await shared.start_chat("hello"))["workspace"] == str(root)


SANDBOX = Protection(level=Level.SANDBOX, network=False, limits=("8 processes",), why="It runs as root.")


async def shown(store: Store, user: UserId, places: Places) -> dict[str, Any]:
    app = build(store, catalog_store=some_catalog_store(store), places=places, protection=SANDBOX)
    answer = await Client(app, await create_token(store.db, user, "shown")).get("/api/v1/workspace")
    assert answer.status == 200
    return dict(answer.json)


async def test_where_agents_work_and_what_protects_the_rest_is_told_as_it_is(
    store: Store, owner: UserId, root: Path
) -> None:
    assert await shown(store, owner, Places(root)) == {
        "usable": True,
        "root": str(root),
        "level": "sandbox",
        "network": False,
        "limits": ["8 processes"],
        "keeps_files": True,
        "says": f"Agents work in {root}. {SANDBOX.in_words()}",
        "why": "It runs as root.",
    }


async def test_a_server_without_a_workspace_says_that_it_has_none(store: Store, owner: UserId) -> None:
    told = await shown(store, owner, Places())

    assert (told["usable"], told["root"], told["level"]) == (False, None, "closed")
    assert "--workspace" in told["why"]


async def test_one_that_is_not_for_all_users_is_shown_to_administrators_alone(
    store: Store, owner: UserId, root: Path
) -> None:
    admin = await create_user(store.db, "root", UserRole.ADMIN)

    theirs, ours = await shown(store, owner, Places(root)), await shown(store, admin.id, Places(root))

    assert (theirs["usable"], theirs["root"]) == (False, None)
    assert (ours["usable"], ours["root"]) == (False, str(root))
    assert "CHATD_WORKSPACE_SHARED" in theirs["why"]
    assert (await shown(store, owner, Places(root, shared=True)))["root"] == str(root)
