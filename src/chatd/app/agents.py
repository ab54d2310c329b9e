"""What the agents of a process work with: tools, prompts, rules and records."""

from collections.abc import Sequence
from functools import partial
from random import SystemRandom

import structlog
from msgspec import Struct

from chatd.agent.advisor.advising import Advising
from chatd.agent.context.place import describe_place
from chatd.agent.context.telling import Telling
from chatd.agent.families.child_models import ChildModels
from chatd.agent.families.delegating import Delegating
from chatd.agent.prompts.as_sent import PromptReader
from chatd.agent.prompts.parts import system_prompt
from chatd.agent.services import AgentServices
from chatd.agent.texts.services import TextServices
from chatd.agent.texts.titles import Titles
from chatd.agent.texts.writer import TextWriter
from chatd.agent.toolboxes.toolboxes import FindTools, Toolboxes, ToolGroup
from chatd.app.catalogs import Catalogs
from chatd.app.workplaces import Workplaces
from chatd.approvals.judge import Rules
from chatd.catalog.catalog import Catalog
from chatd.domain.chat import Chat
from chatd.domain.family import FamilyLimits
from chatd.domain.ids import UserId
from chatd.domain.setup import Setup
from chatd.domain.usage.fullness import may_be_shortened
from chatd.kit.clock import Clock
from chatd.live.live import Live
from chatd.mcp.chat_servers import ChatServers
from chatd.providers.model import Model
from chatd.providers.scripted.performance import PROVIDER as SCRIPTED
from chatd.records.recorder import Recorder
from chatd.settings import Approvals, Settings
from chatd.storage.transactions.transact import Store
from chatd.tools.agents import agent_tools
from chatd.tools.agents.agents import Agents as ChildAgents
from chatd.tools.asking import asking_tools
from chatd.tools.files import file_tools
from chatd.tools.history.read_message import read_message
from chatd.tools.processes import process_tools
from chatd.tools.rehearsal import FileWitness, rehearsal_tools
from chatd.tools.tool import AnyTool
from chatd.tools.web import web_tools
from chatd.worker.slots import Slots
from chatd.worker.text_queue import TextQueue
from chatd.workspaces.workspace import Workspace

log = structlog.get_logger()

MICROS_PER_CENT = 10_000


class Agents(Struct, frozen=True, kw_only=True):
    """What they work with, and how others can look at it."""

    services: AgentServices
    toolboxes: Toolboxes
    prompts: PromptReader
    # What is written about chats: after their turns, and on demand.
    texts: TextQueue
    titles: Titles
    slots: Slots


def agents_of(
    settings: Settings,
    store: Store,
    live: Live,
    catalogs: Catalogs,
    workplaces: Workplaces,
) -> Agents:
    """The agents of this process."""
    catalog, models, access = catalogs.catalog, catalogs.models, workplaces.access

    async def workspace_of(_: Chat, setup: Setup) -> Workspace:
        assert setup.workspace is not None, "asked only for chats that have one"
        return await access.to(setup.workspace)

    async def message_tools(chat: Chat, model: Model, _: Setup) -> tuple[AnyTool, ...]:
        shows_less = may_be_shortened(chat.projection, model.context_limit)
        return (read_message(store.db),) if shows_less else ()

    telling, advising, delegating = Telling(store.db, catalog), Advising(catalog), Delegating(catalog)
    limits = FamilyLimits(
        cost_micros_max=settings.family_cost_cents_max * MICROS_PER_CENT or None,
        tokens_max=settings.family_tokens_max or None,
    )
    child_agents = ChildAgents(
        store=store, clock=live.clock, models=ChildModels(catalog.catalog_store), limits=limits
    )
    children = ToolGroup(tools=agent_tools(child_agents), wanted=delegating.is_on)
    found = [telling.tools, advising.tools, message_tools]
    toolboxes = toolboxes_of(settings, live.clock, workplaces.chat_servers, found=found, children=children)
    of_place = partial(describe_place, access, workplaces.workspaces.protection)
    prompt = system_prompt(catalog, telling, advising, delegating, of_place=of_place)
    recorder = recorder_of(settings, store, catalog, live.clock)
    slots = Slots(settings.concurrency)
    text_services = TextServices(
        store=store,
        models=models,
        wanted=catalog.wanted_texts,
        clock=live.clock,
        reply_bytes=live.board.reply_bytes,
        recorder=recorder,
        place_to_ask=slots.place_to_ask,
    )
    texts = TextQueue(TextWriter(text_services).write)
    services = AgentServices(
        store=store,
        board=live.board,
        models=models,
        prompts=prompt.texts,
        summarizers=models,
        compaction_threshold=models.compaction_threshold,
        context_limits=models,
        toolbox_of=toolboxes.of,
        workspace_of=workspace_of,
        rules=rules_of(settings),
        clock=live.clock,
        chance=SystemRandom().random,
        slots=slots,
        family_limits=limits,
        recorder=recorder,
        turn_over=texts.note,
        file_bytes_max=settings.file_bytes_max,
    )
    reader = PromptReader(db=store.db, models=models, prompt=prompt, toolbox_of=toolboxes.of)
    return Agents(
        services=services,
        toolboxes=toolboxes,
        prompts=reader,
        texts=texts,
        titles=Titles(text_services),
        slots=slots,
    )


def toolboxes_of(
    settings: Settings,
    clock: Clock,
    chat_servers: ChatServers,
    *,
    found: Sequence[FindTools],
    children: ToolGroup,
) -> Toolboxes:
    """Every tool of ours, and which chats have it, in the order in which models are told of them."""
    witness = FileWitness(settings.rehearsal_log) if settings.rehearsal_log else None
    web = web_tools(clock, settings.fetch_private_hosts) if settings.fetch_url else ()
    return Toolboxes(
        [
            ToolGroup(tools=(*file_tools(), *process_tools(clock)), needs_workspace=True),
            # Elsewhere a model that has a question just says it, and the turn is over.
            ToolGroup(tools=asking_tools(), needs_workspace=True, or_plans=True),
            children,
            ToolGroup(tools=web),
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
