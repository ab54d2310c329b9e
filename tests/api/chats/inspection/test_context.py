"""What a chat is told of its workspace, over HTTP."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.domain.ids import ChatId
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.transact import Store, transact
from chatd.workspaces.places import Places
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves
from tests.workspaces.files_only import FilesOnly

NOTHING: dict[str, Any] = {
    "workspace": None,
    "pinned_at": None,
    "dirty_since": None,
    "truncated": False,
    "resources": [],
}
SKILL = "---\nname: deploy\ndescription: How we ship.\n---\nCarefully."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


class Opening:
    """Opens the workspace when it may."""

    def __init__(self) -> None:
        self.may_open = asyncio.Event()
        self.may_open.set()
        self.asked = 0
        self.asked_twice = asyncio.Event()

    async def __call__(self, directory: str) -> Workspace:
        self.asked += 1
        if self.asked > 1:
            self.asked_twice.set()
        await self.may_open.wait()
        if not Path(directory).is_dir():
            raise WorkspaceUnusable("It is gone.")
        return FilesOnly(Path(directory))


@pytest.fixture
def opening() -> Opening:
    return Opening()


@pytest.fixture
def app(store: Store, root: Path, opening: Opening) -> ASGIApp:
    return build(
        store,
        catalog_store=some_catalog_store(store),
        places=Places(root, shared=True),
        open_workspace=opening,
    )


async def a_chat(client: Client, **fields: Any) -> str:
    return f"{CHATS}/{(await client.start_chat('hello', **fields))['id']}"


async def refreshed(client: Client, path: str) -> Any:
    answer = await client.put(f"{path}/context")
    assert answer.status == 200, answer.json
    return answer.json


async def note_change(store: Store, path: str) -> None:
    """As a worker does that has found something else in the workspace."""
    chat_id = ChatId(path.rpartition("/")[2])
    chat = await read_chat(store.db, chat_id)
    assert chat is not None
    await transact(store, chat_id, NoteContext(hash="something else", over=chat.pin_version))


async def test_a_chat_to_which_nothing_is_pinned(client: Client) -> None:
    path = await a_chat(client)

    assert (await client.get(f"{path}/context")).json == NOTHING
    assert (await client.get(path)).json["context_dirty_since"] is None


async def test_what_is_pinned_is_shown_with_what_is_wrong_with_it(client: Client, root: Path) -> None:
    (root / "AGENTS.md").write_text("Use make.")
    (root / "CLAUDE.md").write_text("x" * 70_000)
    (root / "skills" / "deploy").mkdir(parents=True)
    (root / "skills" / "deploy" / "SKILL.md").write_text(SKILL)
    path = await a_chat(client)

    context = await refreshed(client, path)

    assert context == (await client.get(f"{path}/context")).json
    assert (context["workspace"], context["dirty_since"]) == (str(root), None)
    assert context["pinned_at"]
    assert context["resources"] == [
        {"kind": "instruction_file", "source": "AGENTS.md", "size_bytes": 9, "status": "ok"},
        {
            "kind": "instruction_file",
            "source": "CLAUDE.md",
            "size_bytes": 70_000,
            "status": "oversize",
            "error": "It has more than 64 KiB.",
        },
        {
            "kind": "skill",
            "source": "skills/deploy/SKILL.md",
            "size_bytes": len(SKILL),
            "status": "ok",
            "skill_name": "deploy",
            "skill_description": "How we ship.",
        },
    ]


@proves("mcp-skills-hooks", 47)
async def test_a_skill_in_a_directory_of_another_name_is_shown_as_invalid(client: Client, root: Path) -> None:
    (root / "skills" / "ship").mkdir(parents=True)
    (root / "skills" / "ship" / "SKILL.md").write_text(SKILL)

    (skill,) = (await refreshed(client, await a_chat(client)))["resources"]

    assert (skill["status"], skill["skill_name"]) == ("invalid", "ship")
    assert skill["error"].startswith("Its name is 'deploy', and its directory has another one.")


async def test_a_refresh_ends_the_mark_of_a_change(client: Client, store: Store) -> None:
    path = await a_chat(client)
    await refreshed(client, path)
    await note_change(store, path)
    dirty_since = (await client.get(path)).json["context_dirty_since"]
    assert dirty_since
    assert (await client.get(f"{path}/context")).json["dirty_since"] == dirty_since
    assert [each["context_dirty_since"] for each in (await client.get(CHATS)).json["chats"]] == [dirty_since]

    assert (await refreshed(client, path))["dirty_since"] is None
    assert (await client.get(path)).json["context_dirty_since"] is None


async def test_while_the_workspace_is_away_the_pin_stays(client: Client, root: Path) -> None:
    (root / "AGENTS.md").write_text("Use make.")
    path = await a_chat(client)
    before = await refreshed(client, path)
    shutil.rmtree(root)

    refused = await client.put(f"{path}/context")

    assert (refused.status, refused.json["error"]["code"]) == (409, "workspace_away")
    assert (await client.get(f"{path}/context")).json == before


async def test_a_chat_without_a_workspace_is_told_nothing(client: Client, opening: Opening) -> None:
    path = await a_chat(client, workspace=None)

    assert await refreshed(client, path) == NOTHING
    assert opening.asked == 0


async def test_administrators_see_it_and_only_the_owner_refreshes_it(
    client: Client, stranger: Client, admin: Client, opening: Opening
) -> None:
    path = await a_chat(client)

    assert (await stranger.get(f"{path}/context")).status == 404
    assert (await stranger.put(f"{path}/context")).status == 404
    assert (await admin.put(f"{path}/context")).status == 403
    assert opening.asked == 0
    assert (await admin.get(f"{path}/context")).status == 200
    assert (await client.put(f"{path}/context")).status == 200


async def test_a_chat_in_the_archive_is_not_refreshed(client: Client, store: Store) -> None:
    path = await a_chat(client)
    await transact(store, ChatId(path.rpartition("/")[2]), FinishTurn())
    assert (await client.patch(path, {"archived": True})).status == 200

    refused = await client.put(f"{path}/context")

    assert (refused.status, refused.json["error"]["code"]) == (400, "archived")


async def test_one_user_has_few_workspaces_read_at_once(client: Client, opening: Opening) -> None:
    path = await a_chat(client)
    opening.may_open.clear()
    async with asyncio.TaskGroup() as group:
        under_way = [group.create_task(client.put(f"{path}/context")) for _ in range(2)]
        await opening.asked_twice.wait()
        refused = await client.put(f"{path}/context")
        opening.may_open.set()

    assert refused.status == 429
    assert [task.result().status for task in under_way] == [200, 200]
