"""merge_agent: bring what an agent has changed in its own working copy into this workspace."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.storage.reads.read import read_setup
from chatd.tools.agents.agents import Agents
from chatd.tools.agents.worktree import bring_back, is_copy
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, ToolError


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    chat_id: Annotated[str, Meta(min_length=1, description="The agent, started with worktree.")]


def merge_agent(agents: Agents) -> Tool[Args]:
    return Tool(
        name="merge_agent",
        description=(
            "Bring the changes of an agent that was started with worktree into the files of this workspace, "
            "committed or not: all of them or, where they do not fit, none. Nothing is committed here."
        ),
        arguments=typed(Args),
        effect=Effect.ONCE,
        run=_MergeAgent(agents).run,
        # A person sees the program; which files it changes is known only when it runs.
        touches=lambda _: Touches(commands=("git apply",)),
    )


class _MergeAgent:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def run(self, args: Args, setting: Setting) -> Json:
        child = await self._agents.child(setting, args.chat_id)
        setup = await read_setup(self._agents.store.db, child.id)
        if not is_copy(setup.workspace, child.id):
            raise ToolError("This agent works with the files of this workspace: there is nothing to merge.")
        changed = await bring_back(setting, child.id)
        return await self._agents.describe(child) | {"changed_files": changed}
