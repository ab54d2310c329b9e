"""spawn_agent: hand a piece of work to another agent, which begins at once."""

from contextlib import suppress
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.chat import Chat
from chatd.domain.family import SpawnCall, child_id_of
from chatd.domain.ids import ChatId
from chatd.domain.message import Draft, Effort, Role
from chatd.domain.part import Json, Text
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.fallback_title import fallback_title
from chatd.domain.setup import Setup, SetupChange
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.errors import Refused
from chatd.kit.text import one_line, shortened
from chatd.storage.reads.read import read_chat, read_setup
from chatd.storage.tables.working_copies import note_copy
from chatd.storage.transactions.families import spawn_child
from chatd.tools.agents.agents import Agents, refused
from chatd.tools.agents.models import ModelChoice
from chatd.tools.agents.worktree import directory_of, make_copy, remove_copy
from chatd.tools.arguments import typed
from chatd.tools.processes.place import processes_of
from chatd.tools.tool import Setting, Tool, ToolError

TITLE_LENGTH_MAX = 80


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    type: Annotated[
        AgentType,
        Meta(
            description="general: any larger piece of work, also with several steps and edits; explore: a "
            "narrow look-up in the workspace that changes nothing."
        ),
    ]
    prompt: Annotated[
        str,
        Meta(
            description="The task. The agent sees nothing of this conversation, so say all that it has to "
            "know: paths, constraints, and what to report."
        ),
    ]
    title: Annotated[str | None, Meta(description="A few words for the list of agents.")] = None
    model: Annotated[
        str | None, Meta(description="One of list_subagent_models; by default that of this chat.")
    ] = None
    reasoning_effort: Effort | None = None
    worktree: Annotated[
        bool,
        Meta(
            description="Let it work in a copy of the repository of its own, made from the last commit. "
            "merge_agent brings its changes into this workspace."
        ),
    ] = False


def spawn_agent(agents: Agents) -> Tool[Args]:
    return Tool(
        name="spawn_agent",
        description=(
            "Start another agent, which works on its own in a chat of its own and reports in its last "
            "message. This call returns at once. Start several in one reply to have them work at the same "
            "time, and read their reports with wait_agent. Take general for what is open-ended, has several "
            "steps or may need edits; take explore only for bounded look-ups. Agents share the files of this "
            "chat's workspace: give no two of them the same files to change, or give each a worktree. They "
            "cannot start agents, nor ask the user."
        ),
        arguments=typed(Args),
        # The child's id follows from the call: run again after a crash, the call finds the child it made.
        effect=Effect.REPEATABLE,
        run=_SpawnAgent(agents).run,
        touches=lambda args: Touches(commands=("git clone",)) if args.worktree else Touches(),
    )


class _SpawnAgent:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def run(self, args: Args, setting: Setting) -> Json:
        prompt = args.prompt.strip()
        if not prompt:
            raise ToolError("The prompt is required, and it is blank. No agent was started.")
        agents = self._agents
        parent = await agents.parent(setting)
        setup = await read_setup(agents.store.db, parent.id)
        call = SpawnCall(parent_id=parent.id, message_id=setting.message_id, call_id=setting.call_id)
        choice = await self._model(args, parent)
        # Before the working copy is made; the transaction looks again.
        await agents.check_room(parent, child_id_of(call))
        note = await self._copy(args, setting, setup, call)
        command = CreateChat(
            id=child_id_of(call),
            owner_id=parent.owner_id,
            messages=(
                Draft(
                    role=Role.USER,
                    content=(Text(text=prompt),),
                    created_by=parent.owner_id,
                    model=choice.model or None,
                    effort=choice.effort,
                ),
            ),
            title=_title(args.title) or fallback_title((Text(text=prompt),)),
            setup=_setup(setup, args, child_id_of(call)),
            parent_id=parent.id,
            root_id=parent.id,
            agent_type=args.type,
        )
        try:
            done = await spawn_child(agents.store, command, call, agents.limits)
        except Refused as refusal:
            await self._tidy_up(args, setting, call)
            raise refused(refusal) from refusal
        return await agents.describe(done.chat) | note

    async def _copy(self, args: Args, setting: Setting, parent: Setup, call: SpawnCall) -> dict[str, Json]:
        """The working copy is there before the agent is, which begins at once. What to tell of it."""
        if not args.worktree:
            return {}
        if args.type is AgentType.EXPLORE or parent.workspace is None:
            raise ToolError("Only a general agent of a chat with a workspace can have a worktree.")
        # Before it is made: whatever happens then, it is known and removed if there is no agent.
        await note_copy(self._agents.store.db, call, parent.workspace)
        child_id = child_id_of(call)
        if not await make_copy(setting, child_id):
            return {"worktree": directory_of(child_id)}
        note = "Changes that are not committed here are not in the worktree."
        return {"worktree": directory_of(child_id), "note": note}

    async def _tidy_up(self, args: Args, setting: Setting, call: SpawnCall) -> None:
        """The working copy of an agent that was not started is removed, unless the agent exists after all.

        What cannot be removed now is found later: see `worker/leftovers/copies.py`.
        """
        child_id = child_id_of(call)
        if args.worktree and await read_chat(self._agents.store.db, child_id) is None:
            with suppress(ToolError):
                await remove_copy(processes_of(setting), child_id)

    async def _model(self, args: Args, parent: Chat) -> ModelChoice:
        """The one that is asked for, or refused; what was set for such agents; or that of the parent."""
        models = self._agents.models
        if args.model is not None:
            try:
                return ModelChoice(
                    model=await models.admit(args.model, parent.owner_id), effort=args.reasoning_effort
                )
            except Refused as refusal:
                hint = "list_subagent_models tells which there are. No agent was started."
                raise ToolError(f"{refusal.message} {hint}") from refusal
        chosen = await models.chosen_for(args.type, parent.owner_id)
        if chosen is None:
            return ModelChoice(model=parent.last_model or "", effort=args.reasoning_effort)
        return ModelChoice(model=chosen.model, effort=args.reasoning_effort or chosen.effort)


def _setup(parent: Setup, args: Args, child_id: ChatId) -> SetupChange:
    """What the caller of the API has set for the parent counts for the child, but for what concerns the
    caller alone: its tools, the form of replies. What explores does not plan.
    """
    own = f"{parent.workspace}/{directory_of(child_id)}" if args.worktree else parent.workspace
    return SetupChange(
        instructions=parent.instructions,
        workspace=own,
        mcp_servers=parent.mcp_servers,
        mode=parent.mode if args.type is AgentType.GENERAL else None,
    )


def _title(given: str | None) -> str:
    return shortened(one_line(given or ""), TITLE_LENGTH_MAX)
