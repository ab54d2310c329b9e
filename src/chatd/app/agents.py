"""What the agents of a process work with: tools, prompts, rules and records."""

from collections.abc import Awaitable, Callable, Sequence
from random import SystemRandom

import structlog

from chatd.agent.context.telling import Telling
from chatd.agent.services import AgentServices
from chatd.agent.toolboxes import FindTools, Toolboxes, ToolGroup
from chatd.approvals.judge import Rules
from chatd.catalog.catalog import Catalog
from chatd.domain.chat import Chat
from chatd.domain.ids import UserId
from chatd.domain.setup import Setup
from chatd.kit.clock import Clock
from chatd.live.live import Live
from chatd.mcp.of_chat import ChatServers
from chatd.providers.model import Model
from chatd.providers.registry import Registry
from chatd.providers.scripted.performance import PROVIDER as SCRIPTED
from chatd.records.recorder import Recorder
from chatd.settings import Approvals, Settings
from chatd.storage.transact import Store
from chatd.tools.files import file_tools
from chatd.tools.processes import process_tools
from chatd.tools.rehearsal import FileWitness, rehearsal_tools
from chatd.worker.slots import Slots
from chatd.workspaces.access import WorkspaceAccess
from chatd.workspaces.workspace import Workspace

log = structlog.get_logger()


def agent_services(
    settings: Settings,
    store: Store,
    live: Live,
    *,
    models: Registry,
    toolboxes: Toolboxes,
    access: WorkspaceAccess,
    prompts: Callable[[Chat, Model, Setup], Awaitable[tuple[str, ...]]],
    recorder: Recorder,
) -> AgentServices:
    """What the agents of this process work with."""

    async def workspace_of(_: Chat, setup: Setup) -> Workspace:
        assert setup.workspace is not None, "asked only for chats that have one"
        return await access.to(setup.workspace)

    return AgentServices(
        store=store,
        board=live.board,
        models=models,
        prompts=prompts,
        summarizers=models,
        learn_context_limit=models.learn_context_limit,
        toolbox_of=toolboxes.of,
        workspace_of=workspace_of,
        rules=rules_of(settings),
        clock=live.clock,
        chance=SystemRandom().random,
        slot=Slots(settings.concurrency).take,
        recorder=recorder,
    )


async def prompts_of(
    catalog: Catalog,
    telling: Telling,
    chat: Chat,
    model: Model,
    setup: Setup,
    *,
    of_place: Callable[[str | None], Awaitable[str]],
) -> tuple[str, ...]:
    """What a model is told first: by the administrators, of its workspace and by it, and by the user."""
    told = (
        await catalog.deployment_prompt(),
        await of_place(setup.workspace),
        *await telling.prompts(chat, model),
        await catalog.prompt_of(chat.owner_id),
    )
    return tuple(words for words in told if words.strip())


def toolboxes_of(
    settings: Settings, clock: Clock, chat_servers: ChatServers, *, found: Sequence[FindTools]
) -> Toolboxes:
    """Every tool of ours, and which chats have it, in the order in which models are told of them."""
    witness = FileWitness(settings.rehearsal_log) if settings.rehearsal_log else None
    return Toolboxes(
        [
            ToolGroup(tools=(*file_tools(), *process_tools(clock)), needs_workspace=True),
            # They do nothing real, so they are offered to the model that is not real.
            ToolGroup(tools=rehearsal_tools(witness, clock), provider=SCRIPTED),
        ],
        found,
        mcp_tools=chat_servers.tools,
    )


def recorder_of(settings: Settings, store: Store, catalog: Catalog, clock: Clock) -> Recorder:
    async def everyone(_: UserId) -> bool:
        return True

    return Recorder(
        db=store.db,
        clock=clock,
        wanted=everyone if settings.debug_records else catalog.wants_debug_records,
        retention_days=settings.debug_retention_days,
    )


def rules_of(settings: Settings) -> Rules:
    """For approvals: before those of users and chats."""
    return Rules(deployment=settings.rules, asks=settings.approvals is Approvals.ASK)
