"""The workspace of a new chat."""

from pathlib import Path

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens import create_token
from chatd.accounts.users import UserRole, create_user
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.storage.transact import Store
from chatd.workspaces.places import Places
from tests.api.client import CHATS, Client
from tests.catalog_stores import some_catalog_store


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
