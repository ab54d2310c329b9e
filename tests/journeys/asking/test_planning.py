"""Stories of an agent that plans first: a real server, killed and started again, and files that stay."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatd.client.answers import Awaited
from chatd.client.asynchronous import AsyncClient
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.asking.test_approvals import allow, waits
from tests.journeys.server import is_idle, served, transcript, until
from tests.journeys.workspace.working import environment, results, working
from tests.traceability import proves

BUILD = """\
call @early write_file {"path": "made.txt", "content": "too early"}
call @signalled process_signal {"process_id": "p", "signal": "kill"}
next
call @written write_file {"path": "PLAN", "content": "# Plan\\n\\n1. Make a file.\\n"}
next
call @first propose_plan {}
next
call @edited edit_files {"files": [{"path": "PLAN", "edits": [{"old_text": "a file", "new_text": "it"}]}]}
next
call @second propose_plan {"path": "PLAN"}
next
call @built write_file {"path": "made.txt", "content": "made"}
next
say Built.
"""


async def planning(client: AsyncClient, script: str) -> str:
    """A chat that plans. Its plan file is known only when it has an id, so that it is told twice."""
    chat = await client.create_chat("say Ready.", mode="plan")
    await until(client, chat.id, is_idle)
    await client.send(chat.id, script.replace("PLAN", f".chatd/plans/PLAN-{chat.id}.md"))
    return chat.id


async def decide(client: AsyncClient, chat_id: str, awaited: Awaited, **answer: Any) -> None:
    given = {"tool_call_id": awaited.tool_call_id, "message_id": awaited.message_id, "answer": answer}
    await client.submit(chat_id, answers=[given])


def proposes(version: int) -> Any:
    return lambda chat: any(
        each.plan is not None and each.plan.version == version for each in chat.waiting_for
    )


async def test_a_plan_waits_over_a_kill_is_changed_accepted_and_then_carried_out(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, root):
        chat_id = await planning(client, BUILD)
        (awaited,) = (await until(client, chat_id, proposes(1))).waiting_for
        assert awaited.plan is not None
        assert awaited.plan.text == "# Plan\n\n1. Make a file.\n"
        assert not (root / "made.txt").exists()

        await server.kill()
        await server.start()
        assert (await client.chat(chat_id)).waiting_for == (awaited,)

        await decide(client, chat_id, awaited, decision="revise", feedback="Name the file.")
        (again,) = (await until(client, chat_id, proposes(2))).waiting_for
        assert again.plan is not None
        assert "-1. Make a file.\n+1. Make it.\n" in again.plan.diff
        assert (await client.chat(chat_id)).mode == "plan"

        await decide(client, chat_id, again, decision="accept")
        await until(client, chat_id, is_idle)

        assert (root / "made.txt").read_text() == "made"
        assert (await client.chat(chat_id)).mode is None
        assert [(each.version, each.decision) for each in await client.plans(chat_id)] == [
            (2, "accept"),
            (1, "revise"),
        ]
        told = await results(client, chat_id)
        assert "in plan mode only the plan can be" in told["early"]["error"]
        assert "Tool not active: process_signal" in told["signalled"]["error"]
        assert told["first"]["feedback"] == "Name the file."


@proves("tools", 82)
async def test_a_message_that_ends_plan_mode_gives_the_tools_that_write_back(tmp_path: Path) -> None:
    writing = 'call @{} write_file {{"path": "made.txt", "content": "made"}}\nnext\nsay Done.'
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        chat_id = await planning(client, writing.format("early"))
        await until(client, chat_id, is_idle)
        assert not (root / "made.txt").exists()

        await client.send(chat_id, writing.format("now"), mode=None)
        await until(client, chat_id, is_idle)

        assert (root / "made.txt").read_text() == "made"
        assert "in plan mode" in (await results(client, chat_id))["early"]["error"]


async def test_a_plan_that_is_declined_ends_the_turn_and_nothing_is_carried_out(tmp_path: Path) -> None:
    script = 'call @plan propose_plan {"plan": "# Plan"}\nnext\nsay Too far.'
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat(script, mode="plan")
        (awaited,) = (await until(client, chat.id, waits)).waiting_for

        await decide(client, chat.id, awaited, decision="decline")
        ended = await until(client, chat.id, is_idle)

        assert (ended.mode, ended.finish_reason) == ("plan", "stop_after_tool")
        assert (await transcript(client, chat.id))[-1] == "tool: plan answered"


async def test_a_plan_beside_another_call_is_not_proposed(tmp_path: Path) -> None:
    script = 'call @plan propose_plan {"plan": "# Plan"}\ncall @echo echo {"text": "a"}\nnext\nsay Done.'
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat(script, mode="plan")
        await until(client, chat.id, is_idle)

        assert "must be the only call" in (await results(client, chat.id))["plan"]["error"]
        assert await client.plans(chat.id) == ()


@proves("tools", 49)
@pytest.mark.parametrize("what", ["file", "folder"])
async def test_in_plan_mode_nothing_is_written_through_a_link(tmp_path: Path, what: str) -> None:
    script = 'call @written write_file {"path": "PLAN", "content": "# Plan"}\nnext\nsay Done.'
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        (root / "src").mkdir()
        (root / "src" / "a.py").write_text("a")
        chat = await client.create_chat("say Ready.", mode="plan")
        await until(client, chat.id, is_idle)
        own = root / ".chatd" / "plans" / f"PLAN-{chat.id}.md"
        if what == "file":
            own.parent.mkdir(parents=True)
            own.symlink_to(root / "src" / "a.py")
        else:
            (root / ".chatd").mkdir()
            own.parent.symlink_to(root / "src")
        await client.send(chat.id, script.replace("PLAN", str(own.relative_to(root))))
        await until(client, chat.id, is_idle)

        assert "which the rules do not allow" in (await results(client, chat.id))["written"]["error"]
        assert (root / "src" / "a.py").read_text() == "a"
        assert [each.name for each in (root / "src").iterdir()] == ["a.py"]


async def test_in_a_sandbox_commands_of_a_chat_that_plans_cannot_change_the_workspace(tmp_path: Path) -> None:
    command = json.dumps({"command": "cat a.txt && touch /tmp/x && echo b > a.txt"})
    async with working(tmp_path, environment(SandboxMode.REQUIRE)) as (_, client, root):
        (root / "a.txt").write_text("a")
        chat = await client.create_chat(f"call @run execute {command}\nnext\nsay Done.", mode="plan")
        await until(client, chat.id, is_idle)

        told = (await results(client, chat.id))["run"]
        assert told["output"].startswith("a")
        assert "Read-only file system" in told["output"]
        assert (root / "a.txt").read_text() == "a"


async def test_without_a_sandbox_a_person_is_asked_for_each_command_although_approvals_are_off(
    tmp_path: Path,
) -> None:
    script = 'call @run execute {"command": "cat a.txt"}\nnext\nsay Done.'
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        (root / "a.txt").write_text("a")
        chat = await client.create_chat(script, mode="plan")
        (awaited,) = (await until(client, chat.id, waits)).waiting_for
        assert awaited.approval is not None
        assert [each.scope for each in awaited.approval.scopes] == ["once"]

        await allow(client, chat.id, awaited)
        await until(client, chat.id, is_idle)
        assert (await results(client, chat.id))["run"]["output"] == "a"


async def test_what_is_told_of_planning_stands_behind_what_is_the_same_in_other_chats(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        (root / "AGENTS.md").write_text("Use make.")
        await client.change_own_settings(prompt="I am Ann.")
        chat = await client.create_chat("say Hello.", instructions="Be brief.", mode="plan")
        await until(client, chat.id, is_idle)

        told = {part.name: part.text for part in (await client.prompt(chat.id)).parts}

        assert [name for name in told if name in ("workspace", "user", "plan", "instructions")] == [
            "user",
            "workspace",
            "plan",
            "instructions",
        ]
        assert f".chatd/plans/PLAN-{chat.id}.md" in told["plan"]
        await client.change_chat(chat.id, mode=None)
        assert "plan" not in {part.name for part in (await client.prompt(chat.id)).parts}
