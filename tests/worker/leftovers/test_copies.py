"""A working copy that no chat refers to, and none will, is removed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatd.domain.call import CallResult, Effect, Plan
from chatd.domain.decision.change import Details
from chatd.domain.family import SpawnCall, child_id_of
from chatd.domain.ids import CallId, ChatId
from chatd.domain.setup import SetupChange
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.storage.tables.working_copies import note_copy
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from chatd.tools.agents import agent_tools
from chatd.tools.agents.agents import Agents
from chatd.tools.agents.worktree import directory_of, make_copy
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.worker.leftovers.copies import GIVE_UP_MICROS, LOOK_SECONDS, remove_left_copies, remove_once
from chatd.workspaces.local.sandbox.confine import SandboxMode
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable
from tests.clock import MovedClock
from tests.tools.agents.test_refused_copies import a_repository
from tests.tools.processes.desk import OnlyProcesses
from tests.words import call, create, says, step
from tests.workspaces.local.world import World, a_world

ROOT = ChatId("root")
PATIENCE_SECONDS = 60


class Spawning:
    """A chat whose agent calls `spawn_agent` with a working copy, in a real repository."""

    def __init__(self, store: Store, world: World) -> None:
        self.store = store
        self.world = world
        self.workspace = OnlyProcesses(world.processes)
        self.is_open = True
        a_repository(world.root)

    async def begin(self) -> None:
        await create_chat(self.store, create(chat_id=ROOT))
        setup = SetupChange(workspace=str(self.world.root))
        await transact(self.store, ROOT, DescribeChat(details=Details(), setup=setup))
        plan = Plan(call_id=CallId("c"), effect=Effect.REPEATABLE)
        done = await transact(self.store, ROOT, step(says("", call("c", "spawn_agent")), plans=(plan,)))
        self.call = SpawnCall(parent_id=ROOT, message_id=done.appended[-1].id, call_id=CallId("c"))
        self.setting = Setting(
            chat_id=ROOT,
            call_id=self.call.call_id,
            message_id=self.call.message_id,
            show=lambda _: None,
            workspace=self.workspace,
        )

    async def spawn(self) -> CallResult:
        toolbox = Toolbox(agent_tools(Agents(store=self.store, clock=SystemClock())))
        args = {"type": "general", "prompt": "say Hi.", "worktree": True}
        return (await run_call(toolbox, "spawn_agent", args, self.setting)).result

    async def spawn_and_stop(self) -> None:
        """While git makes the copy: it cannot read a file of the repository, and waits."""
        fifo = self.world.fifo(".git/objects/slow")
        async with asyncio.TaskGroup() as group:
            spawning = group.create_task(self.spawn())
            async with asyncio.timeout(PATIENCE_SECONDS):
                # Git is another process, and rings no bell of ours.
                while not self.copies:
                    assert not spawning.done(), spawning.result()
                    await asyncio.sleep(0)
            spawning.cancel()
        fifo.unlink()

    async def interrupt(self) -> None:
        """The call is over, and no agent was started."""
        await transact(self.store, ROOT, Interrupt(), FinishInterruption())

    async def open(self, directory: str) -> Workspace:
        if not self.is_open:
            raise WorkspaceUnusable("Not now.")
        assert directory == str(self.world.root)
        return self.workspace

    async def look(self) -> None:
        await remove_once(self.store.db, self.open)

    async def until_gone(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.copies:  # noqa: ASYNC110 - rm is another process
                await asyncio.sleep(0)

    @property
    def copies(self) -> list[str]:
        return [path.name for path in self.world.root.glob(".chatd/agents/*")]

    @property
    def name(self) -> str:
        return Path(directory_of(child_id_of(self.call))).name


@pytest.fixture
async def spawning(store: Store, tmp_path: Path) -> AsyncIterator[Spawning]:
    async with a_world(tmp_path, SandboxMode.OFF) as world:
        spawning = Spawning(store, world)
        await spawning.begin()
        yield spawning


async def test_a_copy_of_a_spawn_that_was_interrupted_is_removed(spawning: Spawning) -> None:
    await spawning.spawn_and_stop()
    assert spawning.copies == [f"{spawning.name}.new"]
    await spawning.interrupt()

    async with asyncio.timeout(PATIENCE_SECONDS):
        # Git was told to end, and takes a moment.
        while spawning.copies:
            await spawning.look()


async def test_a_copy_is_left_as_long_as_its_call_is_open(spawning: Spawning) -> None:
    """As after a crash between the copy and the agent: the call runs again, and finds the copy."""
    await note_copy(spawning.store.db, spawning.call, str(spawning.world.root))
    await make_copy(spawning.setting, child_id_of(spawning.call))
    await spawning.look()
    assert spawning.copies == [spawning.name]

    await spawning.spawn()
    await spawning.interrupt()
    await spawning.look()
    assert spawning.copies == [spawning.name]


async def test_a_copy_goes_with_its_family(spawning: Spawning) -> None:
    await spawning.spawn()
    assert spawning.copies == [spawning.name]

    await delete_chat(spawning.store, ROOT)
    await spawning.look()

    assert spawning.copies == []


async def test_a_copy_at_which_a_command_is_at_work_is_left_until_that_is_over(spawning: Spawning) -> None:
    await spawning.spawn()
    await delete_chat(spawning.store, ROOT)
    busy = await spawning.world.start(f"cat {spawning.world.fifo()} > .chatd/agents/{spawning.name}/x")
    await spawning.look()
    assert spawning.copies == [spawning.name]

    await spawning.world.kill(busy)
    await spawning.look()
    assert spawning.copies == []


async def test_a_copy_that_cannot_be_reached_is_tried_again_for_a_week(
    spawning: Spawning, clock: MovedClock
) -> None:
    await spawning.spawn()
    await delete_chat(spawning.store, ROOT)
    spawning.is_open = False
    await spawning.look()
    spawning.is_open = True
    await spawning.look()
    assert spawning.copies == []


async def test_a_copy_that_cannot_be_reached_for_a_week_is_left_to_people(
    spawning: Spawning, clock: MovedClock
) -> None:
    await spawning.spawn()
    await delete_chat(spawning.store, ROOT)
    spawning.is_open = False
    await clock.advance(GIVE_UP_MICROS / 1_000_000 + 1)
    await spawning.look()
    spawning.is_open = True
    await spawning.look()
    assert spawning.copies == [spawning.name]


@asynccontextmanager
async def looking(spawning: Spawning, bus: MemoryBus, clock: MovedClock) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(remove_left_copies(spawning.store.db, bus, spawning.open, clock))
        yield
        task.cancel()


async def test_copies_are_looked_for_at_the_start_when_a_chat_was_deleted_and_every_minute(
    spawning: Spawning, bus: MemoryBus, clock: MovedClock
) -> None:
    silent = Store(spawning.store.db, MemoryBus())
    await spawning.spawn()
    await delete_chat(silent, ROOT)
    async with looking(spawning, bus, clock):
        await spawning.until_gone()

    await spawning.begin()
    async with looking(spawning, bus, clock):
        await spawning.spawn()
        await delete_chat(spawning.store, ROOT)
        await spawning.until_gone()

    await spawning.begin()
    async with looking(spawning, bus, clock):
        await spawning.spawn()
        await delete_chat(silent, ROOT)
        await clock.advance(LOOK_SECONDS)
        await spawning.until_gone()
