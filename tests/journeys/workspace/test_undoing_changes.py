"""Stories of agents that change files, and of users who want them back: a real server, git and terminal."""

import asyncio
import json
import os
import pty
import sys
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError, Unreachable
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.server import PATIENCE_SECONDS, Server, is_idle, until
from tests.journeys.workspace.working import both_ways, environment, working
from tests.workspaces.local.checkpoints.project import files_of, git, make_project, users_repository

FIRST = """\
call @edit execute {"command": "printf changed > main.py; rm gone; ln -sf main.py link; chmod 700 tool.sh"}
next
say I have changed something.
"""
SECOND = """\
call @write write_file {"path": "deep/new.txt", "content": "new\\n"}
call @ignored execute {"command": "mkdir -p build; echo out > build/out"}
next
say I have made something.
"""
PARTING = "say Bye."


def fill(root: Path) -> None:
    """A project with a commit, something staged, a stash, a private file and a link."""
    root.rmdir()
    make_project(root)
    (root / "gone").write_text("not yet\n")
    (root / "secret").write_text("key\n")
    (root / "secret").chmod(0o600)
    (root / "tool.sh").write_text("#!/bin/sh\r\n")
    (root / "tool.sh").chmod(0o755)
    (root / "link").symlink_to("gone")
    (root / "main.py").write_text("print('put away')\n")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "stash")
    (root / "main.py").write_text("print('staged')\n")
    git(root, "add", "main.py")
    (root / "main.py").write_text("print('not staged')\n")


async def say(client: AsyncClient, chat_id: str, words: str) -> int:
    sent = await client.send(chat_id, words)
    assert sent.message is not None
    await until(client, chat_id, is_idle)
    return sent.message.id


async def run_chatd(server: Server, *arguments: str, typed: bytes | None = None) -> tuple[int, str, str]:
    """A command, as a process: its exit code and what it prints. With `typed` it has a terminal to ask on."""
    keyboard, terminal = pty.openpty()
    os.write(keyboard, typed or b"")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chatd", *arguments, "--data-dir", str(server.folder / "data"),
        stdin=terminal if typed is not None else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(PATIENCE_SECONDS):
        output, errors = await process.communicate()
    os.close(keyboard)
    os.close(terminal)
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()


@both_ways
async def test_two_turns_are_undone_and_the_undoing_is_undone(tmp_path: Path, mode: SandboxMode) -> None:
    async with working(tmp_path, environment(mode)) as (_, client, root):
        fill(root)
        before, repository = files_of(root), users_repository(root)
        chat = await client.create_chat(FIRST)
        await until(client, chat.id, is_idle)
        between = files_of(root)
        second = await say(client, chat.id, SECOND)
        after = files_of(root)
        first = (await client.prompts(chat.id))[-1].id

        changed = {file.path for file in (await client.diff(chat.id, first)).files}
        # Permissions are no part of a diff, and come back all the same.
        assert changed == {"gone", "link", "main.py"}
        assert "+new\n" in (await client.diff(chat.id, second)).diff

        restored = await client.restore(chat.id, first)
        # What git ignores is left alone.
        ignored = {name: value for name, value in after.items() if name.startswith("build/")}
        assert files_of(root) == {**before, **ignored}
        assert (restored.failed, len(restored.files)) == ((), 5)
        await client.undo_restore(chat.id)
        assert files_of(root) == after
        await client.restore(chat.id, second)
        assert files_of(root) == {**between, **ignored}

        assert users_repository(root) == repository


async def test_the_model_reads_in_its_next_turn_that_files_are_back(tmp_path: Path) -> None:
    env = {**environment(SandboxMode.OFF), "CHATD_DEBUG_RECORDS": "true"}
    async with working(tmp_path, env) as (_, client, root):
        fill(root)
        chat = await client.create_chat(FIRST)
        await until(client, chat.id, is_idle)
        await client.restore(chat.id, (await client.prompts(chat.id))[0].id)
        await say(client, chat.id, PARTING)

        sent = await sent_in_newest_turn(client, chat.id)
        assert "The user has brought files of the workspace back" in sent
        shown = [m async for m in client.history(chat.id) if m.role == "system"]
        assert ["Files were brought back" in part.text for m in shown for part in m.content] == [True]


async def sent_in_newest_turn(client: AsyncClient, chat_id: str) -> str:
    """Its record is whole a moment after the turn has ended."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            run = await client.debug_run(chat_id, (await client.debug_runs(chat_id))[0].id)
            if all(step.request is not None for step in run.steps):
                return json.dumps([step.request for step in run.steps])


@pytest.mark.timeout(180)
async def test_a_server_that_is_killed_in_the_middle_of_a_restore_can_finish_and_undo_it(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, root):
        fill(root)
        for number in range(2000):
            (root / f"file-{number}").write_text(f"{number}\n")
        before = files_of(root)
        chat = await client.create_chat(
            'call @remove execute {"command": "rm file-*"}\nnext\nsay I have removed something.'
        )
        await until(client, chat.id, is_idle)
        after = files_of(root)
        first = (await client.prompts(chat.id))[0].id

        async with asyncio.TaskGroup() as group:
            asking = group.create_task(lost(client.restore(chat.id, first)))
            async with asyncio.timeout(PATIENCE_SECONDS):
                # Another process puts them back, so there is nothing to wait for but the first of them.
                while not any(root.glob("file-*")):  # noqa: ASYNC110
                    await asyncio.sleep(0)
            await server.kill()
            await asking
        assert before != files_of(root) != after
        await server.start()

        async with server.client() as again:
            kept = await again.checkpoints(chat.id)
            assert kept.interrupted
            await again.restore(chat.id, first)
            assert files_of(root) == before
            await again.undo_restore(chat.id)
            assert files_of(root) == after
            await again.undo_restore(chat.id)
            assert files_of(root) == before
            assert not (await again.checkpoints(chat.id)).interrupted


async def lost(asking: Awaitable[object]) -> None:
    with suppress(Unreachable, ApiError):
        await asking


async def test_the_command_line_shows_asks_restores_and_undoes(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, root):
        fill(root)
        before = files_of(root)
        chat = await client.create_chat(FIRST)
        await until(client, chat.id, is_idle)
        after = files_of(root)

        code, shown, _ = await run_chatd(server, "diff", chat.id)
        assert (code, "-print('not staged')" in shown) == (0, True)

        code, shown, errors = await run_chatd(server, "restore", chat.id)
        assert (code, shown) == (2, "")
        assert "--yes" in errors
        code, shown, errors = await run_chatd(server, "restore", chat.id, "--dry-run")
        assert (code, shown.splitlines()[0]) == (0, "added    gone")
        assert errors.startswith("All files of the workspace, as before message 1, your last one: call @")
        code, _, errors = await run_chatd(server, "restore", chat.id, typed=b"n\n")
        assert "Nothing was changed." in errors
        assert (code, files_of(root)) == (0, after)

        code, shown, errors = await run_chatd(server, "restore", chat.id, typed=b"y\n")
        assert (code, files_of(root)) == (0, before), errors
        assert f"chatd restore {chat.id} --undo" in shown
        code, shown, _ = await run_chatd(server, "restore", chat.id[:13], "--undo", "--yes", "--json")
        assert (code, files_of(root)) == (0, after)
        assert [file["path"] for file in json.loads(shown)["files"]] == ["gone", "link", "main.py", "tool.sh"]

        code, shown, errors = await run_chatd(server, "restore", chat.id, "--file", "main.py", "--yes")
        assert (code, files_of(root)) == (0, {**after, "main.py": before["main.py"]}), errors
        assert errors.startswith("main.py, as before message 1")
        assert shown.splitlines()[0] == "changed  main.py"


async def test_the_command_line_names_what_could_not_be_brought_back_and_ends_with_1(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, root):
        fill(root)
        chat = await client.create_chat(FIRST)
        await until(client, chat.id, is_idle)
        (root / "gone").mkdir()
        (root / "gone" / "ignored.log").write_text("not kept\n")

        code, shown, errors = await run_chatd(server, "restore", chat.id, "--yes")

        assert (code, "main.py" in shown) == (1, True)
        assert "left as it is: gone: Something that is not kept stands in its place." in errors
        assert (root / "gone" / "ignored.log").read_text() == "not kept\n"


async def test_names_of_files_cannot_command_the_terminal(tmp_path: Path) -> None:
    name = "evil\x1b]0;owned\x07\nadded    fake"
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, root):
        fill(root)
        command = {"command": f"printf x > '{name}'; printf '\\033[2J' > main.py"}
        chat = await client.create_chat(f"call @make execute {json.dumps(command)}\nnext\nsay Done.")
        await until(client, chat.id, is_idle)

        _, planned, _ = await run_chatd(server, "restore", chat.id, "--dry-run")
        _, shown, _ = await run_chatd(server, "diff", chat.id)

        assert len(planned.splitlines()) == 2
        assert not {"\x1b", "\x07"} & {*planned, *shown}
