"""The workspaces of a process: shared by their chats, bounded in number, and gone when the server is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatd.kit.clock import Clock, SystemClock
from chatd.workspaces.local.open_workspaces import IDLE_SECONDS_MIN, OpenWorkspaces, open_workspaces
from chatd.workspaces.local.processes import local_processes
from chatd.workspaces.local.sandbox.confine import Confinement, SandboxMode
from chatd.workspaces.local.workspace import LocalWorkspace
from chatd.workspaces.processes import CannotStart, Look, Signal, Start, Until
from chatd.workspaces.workspace import WorkspaceUnusable
from tests.clock import MovedClock
from tests.workspaces.local.world import CHAT, PATIENCE_SECONDS, enclosure_for


@asynccontextmanager
async def opened(path: Path, *, clock: Clock | None = None, count: int = 8) -> AsyncIterator[OpenWorkspaces]:
    for name in ("one", "two", "three"):
        (path / name).mkdir(exist_ok=True)
    confinement = Confinement(mode=SandboxMode.OFF)
    async with asyncio.TaskGroup() as group:
        workspaces = OpenWorkspaces(
            path / "kept",
            await enclosure_for(confinement),
            confinement,
            clock or SystemClock(),
            group,
            workspaces_max=count,
        )
        try:
            yield workspaces
        finally:
            workspaces.end()


async def run(workspace: LocalWorkspace, process_id: str, command: str) -> str:
    await workspace.processes.start(Start(id=process_id, chat_id=CHAT, command=command))
    output = await workspace.processes.output(
        CHAT, process_id, Look(), until=Until.EXIT, wait_seconds=PATIENCE_SECONDS
    )
    return output.text


async def test_a_workspace_has_the_files_and_the_processes_of_its_root(tmp_path: Path) -> None:
    async with opened(tmp_path) as workspaces:
        workspace = await workspaces.at(tmp_path / "one")
        await workspace.files.write("greeting", b"hello")

        assert await run(workspace, "p", "cat greeting") == "hello"
        assert workspace.files.root == str(tmp_path / "one")
        assert workspace.protection == workspaces.protection


async def test_chats_of_the_same_root_share_a_workspace_also_when_they_come_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as workspaces:
        first, second, other = await asyncio.gather(
            *(workspaces.at(tmp_path / name) for name in ("one", "one", "two"))
        )

        assert first is second
        assert first is not other


async def test_processes_end_with_the_workspaces_and_leave_nothing_on_disk(tmp_path: Path) -> None:
    async with opened(tmp_path) as workspaces:
        workspace = await workspaces.at(tmp_path / "one")
        await workspace.processes.start(Start(id="p", chat_id=CHAT, command="sleep 600"))

    (process,) = await workspace.processes.list(None)
    assert not process.running
    assert [path for path in (tmp_path / "kept").rglob("*") if path.name == "scratch"] == []
    with pytest.raises(WorkspaceUnusable, match="being stopped"):
        await workspaces.at(tmp_path / "one")


async def test_one_that_cannot_be_opened_says_so_and_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    async with opened(tmp_path) as workspaces:
        with pytest.raises(WorkspaceUnusable, match="cannot be opened"):
            await workspaces.at(tmp_path / "one")
        (tmp_path / "kept").unlink()

        assert await run(await workspaces.at(tmp_path / "one"), "p", "echo here") == "here\n"


async def test_when_there_are_too_many_the_one_that_is_idle_for_longest_makes_room(
    tmp_path: Path, clock: MovedClock
) -> None:
    async with opened(tmp_path, clock=clock, count=2) as workspaces:
        first = await workspaces.at(tmp_path / "one")
        await clock.advance(IDLE_SECONDS_MIN)
        second = await workspaces.at(tmp_path / "two")

        await workspaces.at(tmp_path / "three")

        assert await workspaces.at(tmp_path / "two") is second
        await clock.advance(IDLE_SECONDS_MIN)
        assert await workspaces.at(tmp_path / "one") is not first


async def test_one_that_is_in_use_or_runs_something_does_not_make_room(
    tmp_path: Path, clock: MovedClock
) -> None:
    async with opened(tmp_path, clock=clock, count=2) as workspaces:
        busy = await workspaces.at(tmp_path / "one")
        await busy.processes.start(Start(id="p", chat_id=CHAT, command="sleep 600"))
        await clock.advance(IDLE_SECONDS_MIN)
        await workspaces.at(tmp_path / "two")

        with pytest.raises(WorkspaceUnusable, match="2 workspaces are in use"):
            await workspaces.at(tmp_path / "three")


async def test_all_workspaces_together_have_a_bound_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_processes, "RUNNING_ON_SERVER_MAX", 2)
    async with opened(tmp_path) as workspaces:
        one, two, other = [await workspaces.at(tmp_path / name) for name in ("one", "two", "three")]
        await one.processes.start(Start(id="p", chat_id=CHAT, command="sleep 600"))
        await two.processes.start(Start(id="p", chat_id=CHAT, command="sleep 600"))

        with pytest.raises(CannotStart, match="2 processes of this server are running"):
            await other.processes.start(Start(id="p", chat_id=CHAT, command="true"))
        await two.processes.signal(CHAT, "p", Signal.KILL)
        await two.processes.output(CHAT, "p", Look(), until=Until.EXIT, wait_seconds=PATIENCE_SECONDS)
        assert await run(other, "p", "echo here") == "here\n"


async def test_what_a_killed_server_left_of_its_commands_is_removed_at_the_next_start(tmp_path: Path) -> None:
    left = tmp_path / "kept" / "of another root"
    (left / "scratch" / "output").mkdir(parents=True)
    (left / "other").mkdir()
    confinement = Confinement(mode=SandboxMode.OFF)

    async with open_workspaces(
        tmp_path / "kept", await enclosure_for(confinement), confinement, SystemClock()
    ):
        assert [path.name for path in left.iterdir()] == ["other"]
