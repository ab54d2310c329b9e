"""An agent that may not be started leaves no working copy behind."""

import shutil
import subprocess
from pathlib import Path

import pytest

from chatd.domain.call import Effect, Plan
from chatd.domain.decision.change import Details
from chatd.domain.family import FamilyLimits
from chatd.domain.ids import CallId, ChatId, MessageId
from chatd.domain.setup import SetupChange
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.kit.clock import SystemClock
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.tools.agents import agent_tools
from chatd.tools.agents.agents import Agents
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.tools.processes.desk import OnlyProcesses
from tests.words import call, create, says, step
from tests.workspaces.local.world import a_world

ROOT = ChatId("root")
NO_ROOM = FamilyLimits(at_work_max=0)


def a_repository(root: Path) -> None:
    git = shutil.which("git") or "git"
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for words in (("init", "-q"), (*author, "commit", "-q", "--allow-empty", "-m", "First")):
        subprocess.run([git, *words], cwd=root, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("limits", "over", "why"),
    [(NO_ROOM, 0, "as many as may be at once"), (FamilyLimits(), 1, "is over")],
)
async def test_an_agent_that_is_refused_leaves_no_working_copy(
    store: Store, tmp_path: Path, limits: FamilyLimits, over: int, why: str
) -> None:
    """Before the copy is made, or when it is there already: the call was stopped meanwhile."""
    await create_chat(store, create(chat_id=ROOT))
    plan = Plan(call_id=CallId("c"), effect=Effect.REPEATABLE)
    done = await transact(store, ROOT, step(says("", call("c", "spawn_agent")), plans=(plan,)))
    toolbox = Toolbox(agent_tools(Agents(store=store, clock=SystemClock(), limits=limits)))
    async with a_world(tmp_path, SandboxMode.OFF) as world:
        a_repository(world.root)
        setting = Setting(
            chat_id=ROOT,
            call_id=CallId("c"),
            message_id=MessageId(done.appended[-1].id + over),
            show=lambda _: None,
            workspace=OnlyProcesses(world.processes),
        )
        await works_in(store, world.root)
        args = {"type": "general", "prompt": "say Hi.", "worktree": True}
        ran = await run_call(toolbox, "spawn_agent", args, setting)

        assert ran.result.is_error
        assert why in str(ran.result.result)
        assert [*world.root.glob(".chatd/agents/*")] == []


async def works_in(store: Store, root: Path) -> None:
    setup = SetupChange(workspace=str(root))
    await transact(store, ROOT, DescribeChat(details=Details(), setup=setup))
