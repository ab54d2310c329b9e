"""Finding files of a workspace, to mention them."""

from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from chatd.workspaces.places import Places
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store
from tests.workspaces.files_only import FilesOnly


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("README.md", "src/calc.py", "src/deep/Calculus.md", "a [b]*.txt", "../secret_calc.txt"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text", encoding="utf-8")
    (root / "way-out_calc").symlink_to(tmp_path)
    return root


async def opened(directory: str) -> Workspace:
    if not Path(directory).is_dir():
        raise WorkspaceUnusable("It is gone.")
    return FilesOnly(Path(directory))


@pytest.fixture
def app(store: Store, root: Path) -> ASGIApp:
    places = Places(root, shared=True)
    return build(store, catalog_store=some_catalog_store(store), places=places, open_workspace=opened)


async def found(client: Client, q: str, **chat: Any) -> list[str]:
    started = await client.start_chat("hello", **chat)
    answer = await client.get(f"{CHATS}/{started['id']}/workspace/files", q=q)
    assert answer.status == 200, answer.json
    files: list[str] = answer.json["files"]
    return files


async def test_files_are_found_by_a_part_of_their_path_the_shortest_first(client: Client) -> None:
    assert await found(client, "calc") == ["src/calc.py", "src/deep/Calculus.md"]
    assert await found(client, "DEEP/cal") == ["src/deep/Calculus.md"]
    assert await found(client, "src/") == ["src/calc.py", "src/deep/Calculus.md"]
    assert "README.md" in await found(client, "")


async def test_what_means_something_in_a_pattern_means_itself(client: Client) -> None:
    assert await found(client, "[b]*") == ["a [b]*.txt"]
    assert await found(client, "{R,s}") == []
    assert await found(client, "../") == []


async def test_a_chat_without_a_workspace_has_no_files(client: Client) -> None:
    assert await found(client, "calc", workspace=None) == []


async def test_a_workspace_that_is_gone_and_a_stranger_are_refused(
    client: Client, store: Store, root: Path, app: ASGIApp
) -> None:
    chat = await client.start_chat("hello", workspace="src")
    stranger = Client(
        app, await create_token(store.db, (await create_user(store.db, "other", UserRole.MEMBER)).id, "test")
    )
    path = f"{CHATS}/{chat['id']}/workspace/files"

    assert (await stranger.get(path)).status == 404
    (root / "src").rename(root / "moved")
    assert (await client.get(path)).json["error"]["code"] == "workspace_unusable"
