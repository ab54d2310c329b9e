import asyncio
import os
from pathlib import Path

import pytest

from chatd.workspaces.local.processes.local_processes import PIPED_MAX
from chatd.workspaces.local.sandbox.confine import SandboxMode
from chatd.workspaces.pipes import Pipes, Program
from chatd.workspaces.processes import CannotStart
from tests.workspaces.local.world import PATIENCE_SECONDS, World, a_world

ECHO = Program(command=("cat",))


async def read_until(pipes: Pipes, ending: bytes) -> bytes:
    said = b""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not said.endswith(ending):
            chunk = await pipes.read()
            if not chunk:
                break
            said += chunk
    return said


async def test_a_program_is_given_input_and_its_output_is_read(world: World) -> None:
    async with world.processes.piped(ECHO) as pipes:
        await pipes.write(b"one\n")
        assert await read_until(pipes, b"\n") == b"one\n"
        await pipes.write(b"two\n")
        assert await read_until(pipes, b"\n") == b"two\n"


async def test_arguments_reach_a_program_as_they_are(world: World) -> None:
    command = ("printf", "%s|", "a b", "$HOME", "`id`", "'", "; exit 3")

    async with world.processes.piped(Program(command=command)) as pipes:
        assert await read_until(pipes, b"\0") == b"a b|$HOME|`id`|'|; exit 3|"


async def test_a_program_has_the_environment_of_the_workspace_and_not_of_the_server(tmp_path: Path) -> None:
    server = {"PATH": os.environ["PATH"], "CHATD_ADMIN_TOKEN": "secret", "OPENAI_API_KEY": "secret"}
    async with a_world(tmp_path, SandboxMode.OFF, server_environment=server) as world:
        async with world.processes.piped(Program(command=("env",), env={"MINE": "here"})) as pipes:
            said = (await read_until(pipes, b"\0")).decode()
        told = world.processes.environment()

    assert "MINE=here" in said
    assert "secret" not in said
    assert "secret" not in str(told)
    assert told["HOME"] in said


async def test_what_it_prints_as_errors_is_told_apart(world: World) -> None:
    command = ("sh", "-c", "echo out; echo wrong >&2; exec cat")

    async with world.processes.piped(Program(command=command)) as pipes:
        assert await read_until(pipes, b"\n") == b"out\n"
        async with asyncio.timeout(PATIENCE_SECONDS):
            while "wrong" not in pipes.complaints:  # noqa: ASYNC110
                await asyncio.sleep(0)


async def test_a_program_ends_with_its_block_even_if_it_does_not_want_to(world: World) -> None:
    command = ("sh", "-c", "trap '' TERM; echo $$; while :; do sleep 1000; done")

    async with world.processes.piped(Program(command=command)) as pipes:
        await read_until(pipes, b"\n")
        (child,) = world.processes._piped

    assert not Path(f"/proc/{child.pid}").exists()


async def test_a_program_ends_with_its_workspace(tmp_path: Path) -> None:
    async with a_world(tmp_path, SandboxMode.OFF) as world, world.processes.piped(ECHO) as pipes:
        await world.processes.end_all()
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await pipes.read() == b""
        with pytest.raises(CannotStart, match="is being closed"):
            async with world.processes.piped(ECHO):
                pass


async def test_no_more_programs_run_than_the_bound_allows(world: World) -> None:
    async with asyncio.TaskGroup() as group:
        enough = asyncio.Event()
        ready = asyncio.Semaphore(0)

        async def hold() -> None:
            async with world.processes.piped(ECHO):
                ready.release()
                await enough.wait()

        for _ in range(PIPED_MAX):
            group.create_task(hold())
            await ready.acquire()
        with pytest.raises(CannotStart, match=f"{PIPED_MAX} such programs"):
            async with world.processes.piped(ECHO):
                pass
        enough.set()
