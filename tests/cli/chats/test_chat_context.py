"""chatd context: what the agent of a chat is told of its workspace."""

import json
from pathlib import Path

from chatd.client import AsyncClient
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.workspace.context import Context, Resource, ResourceKind, ResourceStatus
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import Served, served
from tests.words import a_skill, told

ODD = Resource(
    kind=ResourceKind.INSTRUCTION_FILE,
    source="CLAUDE.md",
    size_bytes=70_000,
    status=ResourceStatus.OVERSIZE,
    error="It has more than 64 KiB.",
)
PINNED = Context(workspace="/w", resources=(*told().resources, ODD, a_skill("deploy")))


async def a_chat(server: Served) -> str:
    async with AsyncClient(server.address, server.token) as client:
        return (await client.create_chat("hello", workspace=None)).id


async def test_files_are_listed_with_what_is_wrong_with_them(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        done = await server.happens(chat_id, PinContext(context=PINNED))
        await server.happens(chat_id, NoteContext(hash="other", over=done.chat.pin_version))

        shown = await ran(tmp_path, server, "context", chat_id)

    first, *table = shown.output.splitlines()
    assert first.startswith("/w, as it was at ")
    assert table == [
        "KIND          STATUS    BYTES  FILE",
        "instructions  ok        9      AGENTS.md",
        "instructions  oversize  70000  CLAUDE.md               It has more than 64 KiB.",
        "skill         ok        50     skills/deploy/SKILL.md  About deploy.",
    ]
    assert "The workspace tells something else since " in shown.errors
    assert shown.code == 0


async def test_a_chat_to_which_nothing_is_pinned_says_so(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        shown = await ran(tmp_path, server, "context", chat_id)
        refreshed = await ran(tmp_path, server, "context", chat_id, "--refresh", "--json")

    assert shown.output.startswith("Nothing is pinned")
    assert json.loads(refreshed.output) == {}
