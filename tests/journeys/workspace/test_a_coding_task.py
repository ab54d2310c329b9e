"""An agent mends a small project: it reads, searches, asks before it runs and changes things, finishes."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from chatd.cli.operate.demo_project import FILES, make_project
from chatd.client.answers import Chat
from chatd.client.asynchronous import AsyncClient
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.server import PATIENCE_SECONDS, is_idle, until
from tests.journeys.workspace.working import environment, results, working

TASK = """
call @found find_files {"pattern": "*.sh"}
call @read read_file {"path": "mean.sh"}
next
call @red execute {"command": "sh test.sh"}
next
call @searched search_files {"pattern": "echo", "glob": "mean.sh"}
next
call @mended edit_files {"files": [{"path": "mean.sh", "edits": [{"old_text": " + 1", "new_text": ""}]}]}
next
call @green execute {"command": "sh test.sh"}
next
say Done.
"""
MENDED = FILES["mean.sh"].replace(" + 1", "")

# Each line that a command writes to `runs` is one run of it.
TASK_IN_PIECES = """
call @red execute {"command": "echo red >> runs; sh test.sh"}
next
call @mended edit_files {"files": [{"path": "mean.sh", "edits": [{"old_text": " + 1", "new_text": ""}]}]}
next
call @killed execute {"command": "echo killed >> runs; cat gate", "timeout": "1h"}
next
call @green execute {"command": "echo green >> runs; sh test.sh"}
next
say Done.
"""


def asking() -> Mapping[str, str]:
    return {**environment(SandboxMode.OFF), "CHATD_APPROVALS": "ask"}


def git(root: Path, *command: str) -> str:
    program = shutil.which("git")
    assert program is not None, "git is needed"
    return subprocess.check_output([program, "-C", str(root), *command], text=True)


def is_asking(chat: Chat) -> bool:
    return chat.status in ("requires_action", "waiting")


async def allow(client: AsyncClient, chat: Chat, *, scope: str = "once") -> list[str]:
    """Allow all that the chat asks for. The ids of these calls."""
    asked = [awaited.tool_call_id for awaited in chat.waiting_for if awaited.kind == "approval"]
    approvals = [{"tool_call_id": each, "decision": "allow", "scope": scope} for each in asked]
    await client.submit(chat.id, approvals=approvals)
    return asked


async def test_an_agent_mends_a_project_and_a_restore_puts_the_files_back(tmp_path: Path) -> None:
    async with working(tmp_path, asking()) as (_, client, root):
        make_project(root)
        git(root, "init", "--quiet")
        chat = await client.create_chat(TASK)

        chat = await until(client, chat.id, is_asking)
        assert await allow(client, chat, scope="chat") == ["red"]
        chat = await until(client, chat.id, lambda chat: is_asking(chat) and waits_for(chat, "mended"))
        assert (root / "mean.sh").read_text() == FILES["mean.sh"]
        assert await allow(client, chat) == ["mended"]
        # The tests run a second time without a question: that was allowed for the whole chat.
        await until(client, chat.id, is_idle)

        outcome = await results(client, chat.id)
        assert (outcome["red"]["exit_code"], outcome["green"]["exit_code"]) == (1, 0)
        assert (root / "mean.sh").read_text() == MENDED
        index = git(root, "status", "--porcelain")

        first = await anext(client.history(chat.id))
        await client.restore(chat.id, first.id)

        assert {name: (root / name).read_text() for name in FILES} == dict(FILES)
        assert git(root, "status", "--porcelain") == index


def waits_for(chat: Chat, call_id: str) -> bool:
    return any(awaited.tool_call_id == call_id for awaited in chat.waiting_for)


async def until_written(file: Path, words: str) -> None:
    """Another process writes it, so there is nothing to wait for but its content."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not file.exists() or words not in file.read_text():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)


async def test_kills_in_the_middle_lose_no_result_and_no_approval_and_run_nothing_twice(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, asking()) as (server, client, root):
        make_project(root)
        os.mkfifo(root / "gate")
        chat = await client.create_chat(TASK_IN_PIECES)

        # Killed while a person is asked: the question is still there.
        await until(client, chat.id, lambda chat: waits_for(chat, "red"))
        await server.kill()
        await server.start()
        await allow(client, await until(client, chat.id, lambda chat: waits_for(chat, "red")))

        # Killed when a result is there, and the next question: both stay.
        await allow(client, await until(client, chat.id, lambda chat: waits_for(chat, "mended")))
        await until(client, chat.id, lambda chat: waits_for(chat, "killed"))
        await server.kill()
        await server.start()

        # Killed while a command runs: its outcome is unknown, and it does not run again.
        await allow(client, await until(client, chat.id, lambda chat: waits_for(chat, "killed")))
        await until_written(root / "runs", "killed")
        await server.kill()
        await server.start()

        await allow(client, await until(client, chat.id, lambda chat: waits_for(chat, "green")))
        await until(client, chat.id, is_idle)

        outcome = await results(client, chat.id)
        assert (outcome["red"]["exit_code"], outcome["green"]["exit_code"]) == (1, 0)
        assert "outcome is unknown" in str(outcome["killed"])
        assert outcome["mended"]["files"][0]["path"] == "mean.sh"
        assert (root / "mean.sh").read_text() == MENDED
        assert (root / "runs").read_text().split() == ["red", "killed", "green"]
