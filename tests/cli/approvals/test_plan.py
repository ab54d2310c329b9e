"""chatd plan: versions, diffs and decisions for scripts."""

from pathlib import Path

import pytest

from chatd.client import AsyncClient
from chatd.client.answers import Chat
from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import Served, served
from tests.words import call, question, says, step

FIRST = ProposedPlan(version=1, text="# One\n")
SECOND = ProposedPlan(version=2, text="# Two\n", diff="-# One\n+# Two\n")


async def a_planning_chat(server: Served) -> str:
    async with AsyncClient(server.address, server.token) as client:
        return (await client.create_chat("hello", mode="plan")).id


async def propose(server: Served, chat_id: str, plan: ProposedPlan) -> None:
    reply = says("", call(f"plan{plan.version}", "propose_plan"))
    asked = question(f"plan{plan.version}", plan)
    await server.happens(chat_id, step(reply, plans=(asked,)), RequireAction())


async def now(server: Served, chat_id: str) -> Chat:
    async with AsyncClient(server.address, server.token) as client:
        return await client.chat(chat_id)


async def test_a_plan_is_shown_changed_compared_and_accepted(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_planning_chat(server)
        await propose(server, chat_id, FIRST)

        shown = await ran(tmp_path, server, "plan", chat_id)
        assert (shown.code, shown.output) == (0, "# One\n"), shown.errors
        assert "Version 1: not decided." in shown.errors

        revised = await ran(tmp_path, server, "plan", chat_id, "--revise", "Another title.")
        assert (revised.code, revised.output) == (0, "The chat is running.\n"), revised.errors
        await propose(server, chat_id, SECOND)
        compared = await ran(tmp_path, server, "plan", chat_id, "--diff")
        assert compared.output == SECOND.diff
        listed = await ran(tmp_path, server, "plan", chat_id, "--all")
        assert [line.split("  ")[-1] for line in listed.output.splitlines()] == [
            "not decided",
            "to be changed",
        ]

        assert (await ran(tmp_path, server, "plan", chat_id, "--accept")).code == 0
        assert (await now(server, chat_id)).mode is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["--accept", "--decline"], "Choose one"),
        (["--accept", "--diff"], "and not both"),
        (["--version", "7"], "no plan of version 7"),
    ],
)
async def test_what_is_unclear_is_refused(store: Store, tmp_path: Path, given: list[str], why: str) -> None:
    async with served(store) as server:
        chat_id = await a_planning_chat(server)
        await propose(server, chat_id, FIRST)

        done = await ran(tmp_path, server, "plan", chat_id, *given)

        assert done.code != 0
        assert why in done.errors
        assert (await now(server, chat_id)).mode == "plan"


async def test_without_a_plan_there_is_nothing_to_show_or_to_accept(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_planning_chat(server)

        assert "No plan was proposed" in (await ran(tmp_path, server, "plan", chat_id)).errors
        assert "does not wait" in (await ran(tmp_path, server, "plan", chat_id, "--accept")).errors
