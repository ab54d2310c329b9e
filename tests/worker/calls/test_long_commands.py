"""A command that takes long and says nothing: a real one, by a clock that the test moves."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.agent.toolboxes.toolboxes import Toolboxes, ToolGroup
from chatd.approvals.judge import Rules
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId
from chatd.domain.part import ToolResult
from chatd.domain.setup import Setup, SetupChange
from chatd.hints.memory import MemoryBus
from chatd.live.episodes.board import Board
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store, create_chat
from chatd.tools.processes import process_tools
from chatd.worker.slots import Slots
from chatd.worker.watchdog import CHECK_SECONDS, QUIET_SECONDS_MAX
from chatd.worker.worker import Worker
from chatd.workspaces.local.open_workspaces import OpenWorkspaces, open_workspaces
from chatd.workspaces.local.sandbox.confine import Confinement, SandboxMode
from chatd.workspaces.workspace import Workspace
from tests.clock import MovedClock
from tests.support.scripted_only import ScriptedOnly
from tests.words import create, user
from tests.workspaces.local.world import PATIENCE_SECONDS, enclosure_for

CHAT = ChatId("chat")
# Longer than the watchdog lets anything be quiet, and than any other tool may take.
LONG_SECONDS = 3 * QUIET_SECONDS_MAX


class Agents:
    """Agents with workspaces and one slot, so that a chat which keeps it is noticed."""

    def __init__(self, store: Store, clock: MovedClock, workspaces: OpenWorkspaces) -> None:
        self.clock = clock
        self.workspaces = workspaces
        self.services = AgentServices(
            store=store,
            board=Board(clock),
            models=ScriptedOnly(ScriptedModel(clock, words_per_second=0)),
            toolbox_of=Toolboxes([ToolGroup(tools=process_tools(clock), needs_workspace=True)]).of,
            workspace_of=self._workspace_of,
            clock=clock,
            chance=lambda: 0.5,
            slots=Slots(1),
            rules=Rules(asks=False),
        )

    async def _workspace_of(self, _: Chat, setup: Setup) -> Workspace:
        return await self.workspaces.at(Path(setup.workspace or ""))

    async def let_time_pass(self, seconds: float) -> None:
        """A little at a time: whatever looks at the clock now and then has its turn."""
        for _ in range(round(seconds / CHECK_SECONDS)):
            await self.clock.advance(CHECK_SECONDS)
            for _ in range(20):
                await asyncio.sleep(0)

    async def until(self, true: Callable[[Chat], bool], chat_id: ChatId = CHAT) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not true((await stored(self.services.store, chat_id))[0]):  # noqa: ASYNC110
                await asyncio.sleep(0)


@asynccontextmanager
async def agents(store: Store, bus: MemoryBus, clock: MovedClock, data: Path) -> AsyncIterator[Agents]:
    confinement = Confinement(mode=SandboxMode.OFF)
    enclosure, stop = await enclosure_for(confinement), asyncio.Event()
    async with open_workspaces(data, enclosure, confinement, clock) as workspaces:
        made = Agents(store, clock, workspaces)
        async with asyncio.TaskGroup() as group:
            group.create_task(Worker(made.services, bus).run(stop))
            yield made
            stop.set()


async def stored(store: Store, chat_id: ChatId) -> tuple[Chat, list[ToolResult]]:
    found = await read_everything(store.db, chat_id)
    assert found is not None
    parts = [part for message in found.messages for part in message.content]
    return found.chat, [part for part in parts if isinstance(part, ToolResult)]


async def begin(store: Store, root: Path, script: str, chat_id: ChatId = CHAT) -> None:
    command = replace(create(user(script), chat_id=chat_id), setup=SetupChange(workspace=str(root)))
    await create_chat(store, command)


async def test_a_long_quiet_command_is_not_stuck_and_keeps_no_slot(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    os.mkfifo(root / "gate")
    call = json.dumps({"command": "echo run >> runs; cat gate", "timeout": "1h"})
    async with agents(store, bus, clock, tmp_path / "data") as working:
        await begin(store, root, f"call @long execute {call}\nnext\nsay Done.")
        await working.until(lambda _: (root / "runs").exists())
        before, _ = await stored(store, CHAT)

        await working.let_time_pass(LONG_SECONDS)

        now, _ = await stored(store, CHAT)
        assert (now.status, now.versions.attempt) == (Status.RUNNING, before.versions.attempt)
        # Meanwhile others can work.
        other = ChatId("other")
        await begin(store, root, "say Hello.", other)
        await working.until(lambda chat: chat.status is Status.WAITING, other)
        (root / "gate").write_text("through the gate\n")
        await working.until(lambda chat: chat.status is Status.WAITING)
        _, (told,) = await stored(store, CHAT)
        assert isinstance(told.result, dict)
        assert (told.result["output"], told.result["success"]) == ("through the gate\n", True)
        assert (root / "runs").read_text() == "run\n"
