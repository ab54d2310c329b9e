"""Agents that work in a copy of the repository of their own, and what becomes of their changes."""

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from chatd.client.asynchronous import AsyncClient
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.server import PATIENCE_SECONDS, is_idle, until
from tests.journeys.workspace.working import both_ways, environment, results, working

AS_SOMEONE = ("-c", "user.name=A", "-c", "user.email=a@example.com")


def git(root: Path, *words: str) -> str:
    command = [shutil.which("git") or "git", *AS_SOMEONE, *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def a_repository(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    (root / "kept.txt").write_text("kept\n")
    (root / "changed.txt").write_text("one\ntwo\nthree\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First")


def call(name: str, call_id: str, **args: Any) -> str:
    return f"call @{call_id} {name} {json.dumps(args)}"


def writing(path: str, content: str) -> str:
    return call("write_file", "write", path=path, content=content)


async def said(client: AsyncClient, chat_id: str, *steps: str) -> dict[str, Any]:
    await client.send(chat_id, "\nnext\n".join([*steps, "say Done."]))
    await until(client, chat_id, is_idle)
    return await results(client, chat_id)


@both_ways
async def test_the_changes_of_an_agent_come_back_when_they_are_asked_for(
    tmp_path: Path, mode: SandboxMode
) -> None:
    async with working(tmp_path, environment(mode)) as (_, client, root):
        a_repository(root)
        (root / "mine.txt").write_text("not committed\n")
        commit = call("execute", "run", command="git add -A && git commit -q -m Work && echo more > new.txt")
        task = "\nnext\n".join([writing("changed.txt", "one\n2\nthree\n"), commit, "say Changed."])
        chat = await client.create_chat("say Hello.")
        await until(client, chat.id, is_idle)

        spawn = call("spawn_agent", "spawn", type="general", title="fixer", prompt=task, worktree=True)
        told = await said(client, chat.id, spawn, call("wait_agent", "wait"))
        assert told["wait"]["agents"][0]["report"] == "Changed."
        assert "not committed" in told["spawn"]["note"]
        assert (root / "changed.txt").read_text() == "one\ntwo\nthree\n"
        assert git(root, "status", "--porcelain") == "?? mine.txt\n"

        child = told["spawn"]["chat_id"]
        told = await said(client, chat.id, call("merge_agent", "merge", chat_id=child))
        assert sorted(told["merge"]["changed_files"]) == ["changed.txt", "new.txt"]
        assert (root / "changed.txt").read_text() == "one\n2\nthree\n"
        assert (root / "new.txt").read_text() == "more\n"
        # Nothing was committed, and nothing of the user was touched.
        assert git(root, "log", "--format=%s") == "First\n"
        assert (root / "mine.txt").read_text() == "not committed\n"

        again = await said(client, chat.id, call("merge_agent", "again", chat_id=child))
        assert again["again"]["changed_files"] == []

        await client.delete_chat(chat.id)
        await until_copies(root, are_there=False)


async def test_a_spawn_that_is_killed_and_then_interrupted_leaves_no_copy(tmp_path: Path) -> None:
    """Both times while git makes the copy: it waits for a file of the repository that it cannot read."""
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, root):
        a_repository(root)
        os.mkfifo(root / ".git" / "objects" / "slow")
        chat = await client.create_chat("say Hello.")
        await until(client, chat.id, is_idle)
        spawn = call("spawn_agent", "spawn", type="general", prompt="say Hi.", worktree=True)
        await client.send(chat.id, spawn)
        await until_copies(root, are_there=True)
        await server.kill()
        shutil.rmtree(root / ".chatd")

        # The call runs again.
        await server.start()
        await until_copies(root, are_there=True)
        await client.interrupt(chat.id)
        await until(client, chat.id, is_idle)
        assert (await client.children(chat.id)).chats == ()
        await server.kill()

        await server.start()
        await until_copies(root, are_there=False)
        assert (await client.chat(chat.id)).status == "waiting"


async def until_copies(root: Path, *, are_there: bool) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        # Git and rm are other processes, and ring no bell of ours.
        while bool(list(root.glob(".chatd/agents/*"))) is not are_there:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_changes_that_do_not_fit_leave_everything_as_it_is(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        a_repository(root)
        task = "\nnext\n".join(
            [writing("changed.txt", "one\n2\nthree\n"), writing("new.txt", "theirs\n"), "say Changed."]
        )
        chat = await client.create_chat("say Hello.")
        await until(client, chat.id, is_idle)
        spawn = call("spawn_agent", "spawn", type="general", title="fixer", prompt=task, worktree=True)
        told = await said(client, chat.id, spawn, call("wait_agent", "wait"))
        (root / "changed.txt").write_text("one\nzwei\nthree\n")
        (root / "new.txt").write_text("mine\n")

        told = await said(client, chat.id, call("merge_agent", "merge", chat_id=told["spawn"]["chat_id"]))

        assert "Nothing was changed" in told["merge"]["error"]
        assert "changed.txt" in told["merge"]["error"]
        assert (root / "changed.txt").read_text() == "one\nzwei\nthree\n"
        assert (root / "new.txt").read_text() == "mine\n"


async def test_without_a_repository_no_agent_is_started(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        chat = await client.create_chat("say Hello.")
        await until(client, chat.id, is_idle)

        spawn = call("spawn_agent", "spawn", type="general", prompt="say Hi.", worktree=True)
        told = await said(client, chat.id, spawn)

        assert "No agent was started" in told["spawn"]["error"]
        assert (await client.children(chat.id)).chats == ()
        assert not (root / ".chatd").exists()
