"""The MCP servers that a workspace declares: seen, trusted, and trusted no more."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from chatd.workspaces.places import Places
from tests.api.client import Client
from tests.mcp.workspace.place import Place, a_place
from tests.support.catalog_stores import some_catalog_store

SERVERS = "/api/v1/workspace/mcp-servers"


@pytest.fixture
async def site(tmp_path: Path, store: Store) -> AsyncIterator[Place]:
    async with a_place(tmp_path, store.db) as made:
        yield made


def asking_app(store: Store, site: Place, *, shared: bool = False) -> ASGIApp:
    return build(
        store,
        catalog_store=some_catalog_store(store),
        places=Places(site.root, shared),
        chat_servers=site.chat_servers,
    )


@pytest.fixture
async def client(store: Store, owner: UserId, site: Place) -> Client:
    return Client(asking_app(store, site), await create_token(store.db, owner, "test"))


async def test_a_workspace_that_declares_nothing_says_so(client: Client, site: Place) -> None:
    shown = await client.get(SERVERS)

    assert shown.json == {
        "workspace": str(site.root),
        "digest": None,
        "trusted": False,
        "servers": [],
        "problem": None,
    }


async def test_servers_wait_for_trust_then_can_be_used_and_withdrawn(client: Client, site: Place) -> None:
    digest = site.declare(
        local={"command": "python3", "args": ["server.py", "good"], "env": {"KEY": "sk-literal"}},
        web={"url": "https://mcp.example/mcp", "headers": {"X-Key": "sk-literal"}},
        bad__name={"command": "x"},
    )

    waiting = (await client.get(SERVERS)).json
    trusted = (await client.put(SERVERS, {"digest": digest})).json
    await site.tools()
    used = (await client.get(SERVERS)).json
    gone = await client.delete(SERVERS)
    again = (await client.get(SERVERS)).json

    def statuses(view: dict[str, object]) -> dict[str, str]:
        return {each["name"]: each["status"] for each in view["servers"]}  # type: ignore[attr-defined]

    assert (waiting["digest"], waiting["trusted"]) == (digest, False)
    assert waiting["servers"][0] == {
        "name": "local",
        "status": "waiting_for_trust",
        "transport": "stdio",
        "command": ["python3", "server.py", "good"],
        "url": None,
        "env_names": ["KEY"],
        "header_names": [],
        "problem": None,
        "tools": 0,
    }
    assert statuses(waiting)["bad__name"] == "unusable"
    assert "sk-literal" not in str(waiting)
    assert statuses(trusted)["local"] == "not_connected"
    assert (statuses(used)["local"], used["servers"][0]["tools"]) == ("connected", 1)
    assert (gone.status, again["trusted"]) == (204, False)


async def test_only_the_file_that_was_seen_is_trusted(client: Client, site: Place) -> None:
    seen = site.declare_program()
    site.declare_program("hiding")

    refused = await client.put(SERVERS, {"digest": seen})

    assert (refused.status, refused.json["error"]["code"]) == (409, "mcp_declaration_changed")
    assert (await client.get(SERVERS)).json["trusted"] is False


async def test_trust_of_one_user_is_not_that_of_another(store: Store, owner: UserId, site: Place) -> None:
    app = asking_app(store, site, shared=True)
    other = await create_user(store.db, "second", UserRole.MEMBER)
    mine = Client(app, await create_token(store.db, owner, "test"))
    theirs = Client(app, await create_token(store.db, other.id, "test"))

    await mine.put(SERVERS, {"digest": site.declare_program()})

    assert (await mine.get(SERVERS)).json["trusted"] is True
    assert (await theirs.get(SERVERS)).json["trusted"] is False


async def test_a_directory_outside_of_the_workspace_is_refused(client: Client, tmp_path: Path) -> None:
    refused = await client.get(f"{SERVERS}?workspace={tmp_path}")

    assert (refused.status, refused.json["error"]["code"]) == (400, "bad_workspace")


async def test_without_a_file_there_is_nothing_to_trust(client: Client, site: Place) -> None:
    refused = await client.put(SERVERS, {"digest": "0" * 64})

    assert (refused.status, refused.json["error"]["code"]) == (404, "no_mcp_declaration")


async def test_where_the_workspace_is_not_shared_its_servers_are_not_shown(
    client: Client, store: Store, site: Place
) -> None:
    await create_user(store.db, "second", UserRole.MEMBER)

    assert (await client.get(SERVERS)).json["error"]["code"] == "workspace_not_shared"
