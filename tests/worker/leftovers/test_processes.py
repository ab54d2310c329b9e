"""The commands of a chat end with the chat."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from chatd.accounts.sharing.handing_over import Terms, hand_over
from chatd.accounts.users import create_user
from chatd.domain.ids import ChatId
from chatd.domain.people.audit import THE_SERVER, AuditDeed
from chatd.domain.people.roles import UserRole
from chatd.domain.setup import SetupChange
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.hints.memory import MemoryBus
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from chatd.worker.leftovers.processes import LOOK_SECONDS, end_left_processes
from chatd.workspaces.local.open_workspaces import OpenWorkspaces, open_workspaces
from chatd.workspaces.local.processes.local_processes import LocalProcesses
from chatd.workspaces.local.sandbox.confine import Confinement, SandboxMode
from chatd.workspaces.processes import Look, Start, Until
from tests.clock import MovedClock
from tests.words import create, failure, user
from tests.workspaces.local.world import PATIENCE_SECONDS, enclosure_for

KEPT, GONE = ChatId("kept"), ChatId("gone")
NO_WORKSPACE = "Its chat was deleted, or has no workspace any more."


@asynccontextmanager
async def running(
    store: Store, bus: MemoryBus, clock: MovedClock, path: Path
) -> AsyncIterator[tuple[OpenWorkspaces, LocalProcesses]]:
    """Two chats, each with a command that runs and one that has ended."""
    confinement = Confinement(mode=SandboxMode.OFF)
    (path / "project").mkdir()
    async with (
        open_workspaces(path / "data", await enclosure_for(confinement), confinement, clock) as workspaces,
        asyncio.TaskGroup() as group,
    ):
        ending = group.create_task(end_left_processes(store.db, bus, workspaces, clock))
        processes = (await workspaces.at(path / "project")).processes
        for chat_id in (KEPT, GONE):
            setup = SetupChange(workspace=str(path / "project"))
            await create_chat(store, replace(create(user("hello"), chat_id=chat_id), setup=setup))
            await transact(store, chat_id, FailTurn(failure=failure()))
            for command in ("sleep 600", "true"):
                await processes.start(Start(id=f"{chat_id} {command}", chat_id=chat_id, command=command))
            await ended(processes, f"{chat_id} true")
        yield workspaces, processes
        ending.cancel()


async def ended(processes: LocalProcesses, process_id: str) -> str | None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            output = await processes.output(None, process_id, Look(), until=Until.OUTPUT, wait_seconds=0.01)
            if not output.process.running:
                return output.process.stopped_because
            await asyncio.sleep(0)


async def test_a_deleted_chat_takes_its_commands_along_and_leaves_those_of_others(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    async with running(store, bus, clock, tmp_path) as (workspaces, processes):
        await delete_chat(store, GONE)

        assert await ended(processes, f"{GONE} sleep 600") == NO_WORKSPACE
        assert [process.id for process in await processes.list(GONE)] == [f"{GONE} sleep 600"]
        # The one that has been killed is forgotten with the next look.
        await clock.advance(LOOK_SECONDS)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while GONE in workspaces.chats():  # noqa: ASYNC110 - it is known when it is so
                await asyncio.sleep(0)
        assert [process.running for process in await processes.list(KEPT)] == [True, False]


async def test_what_a_lost_hint_did_not_tell_is_found_by_looking(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    async with running(store, bus, clock, tmp_path) as (_, processes):
        await delete_chat(Store(store.db, MemoryBus()), GONE)
        await clock.advance(LOOK_SECONDS)

        assert await ended(processes, f"{GONE} sleep 600") == NO_WORKSPACE


async def test_a_chat_that_is_handed_over_without_its_workspace_takes_its_commands_along(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    async with running(store, bus, clock, tmp_path) as (_, processes):
        for chat_id in (KEPT, GONE):
            terms = Terms(to=anna.id, workspace_shared=chat_id == KEPT)
            await hand_over(store, chat_id, terms, by=THE_SERVER, deed=AuditDeed.TRANSFER_FORCED)

        assert await ended(processes, f"{GONE} sleep 600") == NO_WORKSPACE
        assert [process.running for process in await processes.list(KEPT)] == [True, False]
