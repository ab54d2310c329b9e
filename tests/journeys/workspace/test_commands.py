"""Commands in a workspace, when the server is killed, stopped or told to stop them; and what they can see."""

import asyncio
import json
import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.cli.program import chatd, complaint
from tests.journeys.server import PATIENCE_SECONDS, is_idle, until
from tests.journeys.workspace.working import both_ways, environment, results, working
from tests.traceability import proves
from tests.workspaces.local.world import program


class Paused:
    """A command that has begun, has told so, and goes on when it is told to. Each run leaves a line."""

    def __init__(self, root: Path) -> None:
        self._root = root
        os.mkfifo(root / "gate")

    command = "echo run >> runs; cat gate; echo over"

    def script(self, **args: str) -> str:
        call = json.dumps({"command": self.command, **args})
        return f"call @paused execute {call}\nnext\nsay Done."

    async def has_begun(self) -> None:
        """Another process opens the other end of the pipe, so there is nothing to wait for but that."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not self.runs:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)

    @property
    def runs(self) -> int:
        path = self._root / "runs"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def go_on(self) -> None:
        (self._root / "gate").write_text("through the gate\n")


def processes_in(root: Path) -> list[str]:
    """What works in this directory, sandboxes included."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (path / "cwd").resolve() == root:
                found.append((path / "cmdline").read_bytes().decode().replace("\0", " "))
    return found


@both_ways
async def test_after_a_kill_in_the_middle_of_a_command_the_model_is_told_that_its_outcome_is_unknown(
    tmp_path: Path, mode: SandboxMode
) -> None:
    async with working(tmp_path, environment(mode)) as (server, client, root):
        paused = Paused(root)
        chat = await client.create_chat(paused.script())
        await paused.has_begun()

        assert processes_in(root)
        await server.kill()
        await nothing_runs_in(root)
        await server.start()
        await until(client, chat.id, is_idle)

        assert "its outcome is unknown" in str((await results(client, chat.id))["paused"])
        assert paused.runs == 1


@both_ways
async def test_a_server_that_is_stopped_ends_its_commands_and_keeps_what_they_printed(
    tmp_path: Path, mode: SandboxMode
) -> None:
    async with working(tmp_path, environment(mode)) as (server, client, root):
        paused = Paused(root)
        chat = await client.create_chat(paused.script(timeout="1h"))
        await paused.has_begun()

        assert await server.stop() == 0
        assert processes_in(root) == []
        await server.start()
        await until(client, chat.id, is_idle)

        told = (await results(client, chat.id))["paused"]
        assert "The server was stopped" in told["error"]
        assert (told["success"], paused.runs) == (False, 1)


@both_ways
@proves("tools", 79)
async def test_an_interrupted_command_is_cancelled_in_the_chat_and_still_listed(
    tmp_path: Path, mode: SandboxMode
) -> None:
    async with working(tmp_path, environment(mode)) as (_, client, root):
        paused = Paused(root)
        chat = await client.create_chat(paused.script())
        await paused.has_begun()

        await client.interrupt(chat.id)
        await until(client, chat.id, is_idle)
        cut = (await results(client, chat.id))["paused"]
        await client.send(chat.id, "call @list process_list {}\nnext\nsay Listed.")
        await until(client, chat.id, is_idle)

        assert "interrupted" in str(cut)
        (listed,) = (await results(client, chat.id))["list"]["processes"]
        assert (listed["command"], listed["running"]) == (paused.command, True)
        paused.go_on()


async def nothing_runs_in(root: Path) -> None:
    """The kernel, or our guardian, ends what a killed server leaves behind: soon, and not at once."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while processes_in(root):  # noqa: ASYNC110 - it is of another process
            await asyncio.sleep(0.01)


SECRETS = {
    "CHATD_SECRET_KEY": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=",
    "ANTHROPIC_API_KEY": "secret-anthropic",
    "OPENAI_API_KEY": "secret-openai",
    "DATABASE_PASSWORD": "secret-database",
    "AWS_SECRET_ACCESS_KEY": "secret-aws",
}


@both_ways
async def test_the_secrets_of_the_server_do_not_reach_a_command(tmp_path: Path, mode: SandboxMode) -> None:
    script = 'call @env execute {"command": "env"}\nnext\nsay Done.'
    async with working(tmp_path, {**environment(mode), **SECRETS}) as (_, client, _root):
        chat = await client.create_chat(script, model="scripted/scripted")
        await until(client, chat.id, is_idle)

        env = (await results(client, chat.id))["env"]["output"]
        assert "PATH=" in env
        assert not [name for name, value in SECRETS.items() if name in env or value in env]
        assert {line.partition("=")[0] for line in env.splitlines() if line.startswith("CHATD_")} <= {
            "CHATD_AGENT", "CHATD_CHAT_ID", "CHATD_WORKSPACE_MARK",
        }  # fmt: skip


async def test_in_the_sandbox_a_command_sees_neither_the_data_directory_nor_the_server(
    tmp_path: Path,
) -> None:
    commands = [
        f"ls {tmp_path / 'data'}",
        f"cat {tmp_path / 'data' / 'admin-token'}",
        "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
        "ls /proc | grep -c '^[0-9]'",
    ]
    script = "".join(
        f"call @c{n} execute {json.dumps({'command': each})}\n" for n, each in enumerate(commands)
    )
    async with working(tmp_path, {**environment(SandboxMode.REQUIRE), **SECRETS}) as (server, client, _):
        chat = await client.create_chat(script, model="scripted/scripted")
        await until(client, chat.id, is_idle)

        told = await results(client, chat.id)
        assert told["c0"]["output"] == ""
        assert "No such file" in told["c1"]["output"]
        said = str(told)
        assert server.token not in said
        assert not [value for value in SECRETS.values() if value in said]
        assert int(told["c3"]["output"]) < 10


@pytest.mark.parametrize(("network", "exit_code"), [("false", 1), ("true", 0)])
async def test_in_the_sandbox_a_command_reaches_the_network_only_where_the_administrator_allows_it(
    tmp_path: Path, network: str, exit_code: int
) -> None:
    program("bash")
    env = {**environment(SandboxMode.REQUIRE), "CHATD_SANDBOX_NETWORK": network}
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        async with working(tmp_path, env) as (_, client, root):
            (root / "reach").write_text(f"exec 3<>/dev/tcp/127.0.0.1/{port}")
            chat = await client.create_chat('call @reach execute {"command": "bash reach"}\nsay Done.')
            await until(client, chat.id, is_idle)

            assert (await results(client, chat.id))["reach"]["exit_code"] == exit_code
            assert (await client.workspace()).network is (network == "true")


async def test_what_an_administrator_shows_passes_on_and_limits_reaches_a_command(tmp_path: Path) -> None:
    for name in ("tools", "cache"):
        (tmp_path / name).mkdir()
    (tmp_path / "tools" / "greeting").write_text("hello\n")
    (tmp_path / "database").mkdir()
    command = (
        f"cat {tmp_path}/tools/greeting; touch {tmp_path}/cache/made; touch {tmp_path}/tools/made; "
        f"cat {tmp_path}/chatd.toml; wc -c {tmp_path}/database/chatd.db; echo $PASSED; ulimit -t; ulimit -f"
    )
    (tmp_path / "chatd.toml").write_text(
        f'sandbox_readable = ["{tmp_path}/tools"]\nsandbox_writable = ["{tmp_path}/cache"]\n'
        'command_variables = ["PASSED"]\ncommand_cpu_seconds = 77\ncommand_file_mib = 3\n'
        f'database_url = "sqlite:///{tmp_path}/database/chatd.db"\n'
    )
    env = {
        **environment(SandboxMode.REQUIRE),
        "CHATD_CONFIG": str(tmp_path / "chatd.toml"),
        "PASSED": "passed on",
    }
    async with working(tmp_path, env) as (_, client, _root):
        chat = await client.create_chat(f"call @shown execute {json.dumps({'command': command})}\nsay Done.")
        await until(client, chat.id, is_idle)

        lines = (await results(client, chat.id))["shown"]["output"].splitlines()
        assert lines[0] == "hello"
        assert "Read-only file system" in lines[1]
        assert [line.endswith("Permission denied") for line in lines[2:4]] == [True, True]
        assert lines[4:] == ["passed on", "77", str(3 * 1024 * 2)]
        assert (tmp_path / "cache" / "made").exists()


async def test_a_server_does_not_start_with_its_settings_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "chatd.toml").write_text("port = 0")
    run = await asyncio.to_thread(
        chatd,
        tmp_path,
        "serve",
        "--workspace",
        ".",
        "--data-dir",
        str(tmp_path.parent / "data"),
        "--config",
        "chatd.toml",
    )

    assert "chatd.toml belongs to the server" in complaint(run)
