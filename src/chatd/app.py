"""Composition: settings in, a running server out. The only file that knows every part."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Protocol

import structlog

from chatd import __version__
from chatd.accounts.admin import check_token, ensure_admin
from chatd.accounts.users import is_only_user
from chatd.agent.context.place import told_of_place
from chatd.agent.context.telling import Telling
from chatd.agent.services import AgentServices
from chatd.agent.toolboxes import FindTools, Toolboxes, ToolGroup
from chatd.api.app import build
from chatd.api.serving.admission import RequestLimits
from chatd.api.serving.metrics import Metrics, catalog_readings
from chatd.api.serving.server import address_of, bound, local_address_of, serve_http
from chatd.approvals.judge import Rules
from chatd.catalog.catalog import Catalog, open_catalog
from chatd.catalog.declared import Declared, declare, notice_of
from chatd.catalog.keys.secrets import read_or_make
from chatd.catalog.mcp.declared import declare_servers
from chatd.catalog.mcp.oauth.tokens import open_user_tokens
from chatd.catalog.mcp.reach import Reach
from chatd.catalog.mcp.resolve import McpResolver
from chatd.catalog.mcp.services import McpServices, mcp_services
from chatd.catalog.store import CatalogStore
from chatd.domain.chat import Chat
from chatd.domain.ids import UserId
from chatd.domain.setup import Setup
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import Clock, SystemClock
from chatd.kit.signals import stop_on_signals
from chatd.live.live import Live
from chatd.mcp.connections import Connections, open_connections
from chatd.mcp.of_chat import ChatServers
from chatd.mcp.opening import wire_sessions
from chatd.mcp.prober import ServerProber
from chatd.mcp.workspace.servers import WorkspaceServers
from chatd.mcp.workspace.trust import TrustStore
from chatd.providers.credentials.cache import CredentialCache
from chatd.providers.discovery.ollama import ollama_models
from chatd.providers.discovery.probe import ModelProber
from chatd.providers.model import Model
from chatd.providers.registry import Registry
from chatd.providers.scripted.model import ScriptedModel
from chatd.providers.scripted.performance import PROVIDER as SCRIPTED
from chatd.providers.transport.http import Pools
from chatd.records.recorder import Recorder
from chatd.settings import Approvals, Settings
from chatd.storage.data_dir.data_dir import locked, open_data_dir
from chatd.storage.data_dir.server_address import forget_address, write_address
from chatd.storage.health.outage import Outage
from chatd.storage.leases import forget_everyone
from chatd.storage.migrate import migrate
from chatd.storage.open import abandon, open_database, sqlite_path
from chatd.storage.queries import SqlEngine
from chatd.storage.recent import Recent
from chatd.storage.transact import Store
from chatd.tools.files import file_tools
from chatd.tools.processes import process_tools
from chatd.tools.rehearsal import FileWitness, rehearsal_tools
from chatd.worker.chores import do_chores
from chatd.worker.left_checkpoints import forget_left_checkpoints
from chatd.worker.left_processes import end_left_processes
from chatd.worker.search_index import keep_search_index
from chatd.worker.slots import Slots
from chatd.worker.worker import Worker
from chatd.workspaces.access import WorkspaceAccess
from chatd.workspaces.local.checkpoints.all_checkpoints import AllCheckpoints
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.local.open_workspaces import OpenWorkspaces, open_workspaces
from chatd.workspaces.local.sandbox.confine import (
    Confinement,
    check_paths,
    mode_for,
    offered_enclosure,
)
from chatd.workspaces.local.sandbox.limits import MIB, Limits
from chatd.workspaces.places import places_at
from chatd.workspaces.protection import offer_in_words
from chatd.workspaces.workspace import Workspace

log = structlog.get_logger()

# In the data directory: what belongs to the workspaces, each in a directory of its own.
WORKSPACES = "workspaces"
# How soon an Ollama server that was started later is noticed.
OLLAMA_SECONDS = 30.0
# From the first signal to the end of the process, whatever hangs. Each stage has less: requests under way
# (api/serving/server.py) 5 s, the worker 8 s, what runs beside it 2 s, the connections to the database 3 s.
STOP_SECONDS = 20.0
WORKER_STOP_SECONDS = 8.0
BESIDE_STOP_SECONDS = 2.0


class Ready(Protocol):
    """Is told the server's address, where the administrator's token is, and where agents work, if they do."""

    def __call__(self, address: str, token_place: str, workspace: str | None) -> None: ...


async def serve(settings: Settings, *, ready: Ready, settings_files: Sequence[Path] = ()) -> None:
    """Run until a signal says stop.

    `settings_files` are those that the settings were read from: agents must not see them.
    `ready` is called once requests are answered. Raises Unusable when something stands in the way of that.
    """
    clock = SystemClock()
    if settings.admin_token is not None:
        check_token(settings.admin_token)
    private = (*settings_files, *_database_files(settings))
    places = places_at(settings.workspace, settings.data_dir, private, shared=settings.workspace_shared)
    confinement = _confinement(settings, private)
    on_this_machine = await ollama_models()
    declared = _declared(settings, on_this_machine)
    for provider in declared.providers:
        if notice := notice_of(provider):
            log.warning("provider.unusable", provider=provider.name, notice=notice)
    declared_servers = declare_servers(settings.mcp_servers, os.environ)
    async with AsyncExitStack() as opened:
        stop = opened.enter_context(
            stop_on_signals(
                within_seconds=STOP_SECONDS,
                asked=lambda name: log.info("server.stopping", signal=name),
                cut_short=lambda why: log.error("server.stop_cut_short", why=why),
            )
        )
        opened.enter_context(locked(open_data_dir(settings.data_dir), sqlite_path(settings.database)))
        opened.callback(forget_address, settings.data_dir)
        # Before the database: a server that cannot listen should not migrate anything.
        listener = opened.enter_context(bound(settings.host, settings.port))
        outage = Outage()
        db = await opened.enter_async_context(open_database(settings.database, clock, outage))
        for migration in await migrate(db):
            log.info("migration.applied", number=migration.number, name=migration.name)
        token_place = await ensure_admin(db, settings.data_dir, settings.admin_token)
        if db.engine is SqlEngine.SQLITE:
            await forget_everyone(db)
        bus = MemoryBus()
        secrets = read_or_make(settings.data_dir, settings.secret_key)
        catalog_store = CatalogStore(Store(db, bus), declared, secrets, declared_servers)
        await catalog_store.keys.check_secrets()
        catalog = await opened.enter_async_context(open_catalog(catalog_store, bus, clock))
        mcp = mcp_services(
            Store(db, bus),
            catalog_store.mcp,
            secrets,
            reach=Reach(private_hosts=settings.mcp_private_hosts),
            clock=clock,
            public_url=settings.public_url or local_address_of(settings.host, listener),
        )
        metrics = Metrics()
        metrics.add(partial(catalog_readings, catalog))
        # Written by commits, read by viewers' streams.
        recent = Recent()
        live = Live(Store(db, bus), clock)
        pools = await opened.enter_async_context(Pools())
        models = Registry(catalog, pools, CredentialCache(clock), ScriptedModel(clock), clock)
        enclosure = await offered_enclosure(places, confinement)
        workspaces = await opened.enter_async_context(
            open_workspaces(settings.data_dir / WORKSPACES, enclosure, confinement, clock)
        )
        access = WorkspaceAccess(places, is_only_user=partial(is_only_user, db), open_at=workspaces.at)
        mcp_servers = await opened.enter_async_context(_resolving_servers(settings, catalog, mcp, clock))
        open_session = wire_sessions()
        connections = await opened.enter_async_context(open_connections(open_session, clock))
        chat_servers = ChatServers(
            connections=connections,
            servers_of=mcp_servers.servers_of,
            workspace_at=access.to,
            workspace_servers=WorkspaceServers(TrustStore(db), private_addresses=settings.mcp_private_hosts),
        )
        telling = Telling(db, catalog)
        toolboxes = _toolboxes(settings, clock, chat_servers, found=[telling.tools])
        services = _services(
            settings,
            Store(db, bus, recent=recent),
            live,
            models=models,
            toolboxes=toolboxes,
            access=access,
            prompts=partial(
                _prompts, catalog, telling, of_place=partial(told_of_place, access, workspaces.protection)
            ),
            recorder=_recorder(settings, Store(db, bus), catalog, clock),
        )
        worker = Worker(services, bus, before_hand_over=live.log.flush) if settings.worker else None
        beside = {
            "follow Ollama": _following_ollama(settings, catalog_store, clock, on_this_machine),
            "chores": do_chores(Store(db, bus), clock),
            "search index": keep_search_index(db, bus, clock),
            "left processes": end_left_processes(db, bus, workspaces, clock),
            "left checkpoints": forget_left_checkpoints(
                db, bus, AllCheckpoints(git_path(), settings.data_dir / WORKSPACES), clock
            ),
        }
        async with _working(
            live,
            worker,
            beside,
            end_processes=partial(_end_processes, workspaces, connections),
            give_up=partial(abandon, db),
        ):
            await serve_http(
                build(
                    Store(db, bus, worker, recent),
                    live,
                    catalog_store=catalog_store,
                    metrics=metrics,
                    prober=ModelProber(models, clock),
                    mcp=mcp,
                    mcp_prober=ServerProber(mcp_servers.server, open_session, clock),
                    chat_servers=chat_servers,
                    outage=outage,
                    debug_forced=settings.debug_records,
                    places=places,
                    protection=workspaces.protection,
                    rules=_rules(settings),
                    open_workspace=access.to,
                    tool_names=toolboxes,
                    limits=RequestLimits(
                        requests_per_minute=settings.requests_per_minute,
                        uploads_per_minute=settings.uploads_per_minute,
                    ),
                ),
                listener,
                stop=stop,
                ready=partial(
                    _started,
                    settings,
                    listener,
                    db.engine,
                    partial(
                        ready,
                        token_place=token_place,
                        workspace=offer_in_words(places.root, workspaces.protection),
                    ),
                ),
                end_streams=live.streams.end,
            )
    log.info("server.stopped")


def _started(
    settings: Settings, listener: socket.socket, database: SqlEngine, ready: Callable[[str], None]
) -> None:
    address = address_of(settings.host, listener)
    write_address(settings.data_dir, local_address_of(settings.host, listener))
    log.info("server.started", version=__version__, address=address, database=database.value)
    ready(address)


def _declared(settings: Settings, ollama: Sequence[str]) -> Declared:
    """What there is without a database: declared, in the environment, and running on this machine."""
    return declare(settings.providers, settings.models, os.environ, ollama=ollama)


async def _following_ollama(
    settings: Settings, catalog_store: CatalogStore, clock: Clock, known: Sequence[str]
) -> None:
    """It may be started, stopped, or given other models, while we run."""
    while True:
        await clock.sleep(OLLAMA_SECONDS)
        if (models := await ollama_models()) != known:
            catalog_store.learn(_declared(settings, models))
            known = models


async def _prompts(
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


@asynccontextmanager
async def _resolving_servers(
    settings: Settings, catalog: Catalog, mcp: McpServices, clock: Clock
) -> AsyncIterator[McpResolver]:
    """The MCP servers of chats, with tokens that are refreshed inside the block."""
    async with open_user_tokens(mcp.store, mcp.grants, mcp.endpoint, clock) as tokens:
        yield McpResolver(mcp.store, catalog.mcp_servers, tokens.of, private_hosts=settings.mcp_private_hosts)


async def _end_processes(workspaces: OpenWorkspaces, connections: Connections) -> None:
    connections.end()
    await workspaces.end_processes()


def _toolboxes(
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


def _database_files(settings: Settings) -> Sequence[Path]:
    """Also those that SQLite makes beside it."""
    path = sqlite_path(settings.database)
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm")] if path is not None else []


def _confinement(settings: Settings, private: Sequence[Path]) -> Confinement:
    """What an administrator has decided for all commands. Raises Misconfigured."""
    memory = settings.command_memory_mib * MIB
    limits = Limits(
        processes=settings.command_processes,
        memory_bytes=memory,
        process_memory_bytes=min(memory, Limits().process_memory_bytes),
        file_bytes=settings.command_file_mib * MIB,
        cpu_seconds=settings.command_cpu_seconds,
    )
    asks = settings.approvals is Approvals.ASK
    confinement = Confinement(
        mode=mode_for(settings.sandbox, asks=asks, shared=settings.workspace_shared),
        network=settings.sandbox_network,
        hidden=(settings.data_dir, *private),
        readable=settings.sandbox_readable,
        writable=settings.sandbox_writable,
        passed=frozenset(settings.command_variables),
        limits=limits,
    )
    check_paths(confinement)
    return confinement


def _rules(settings: Settings) -> Rules:
    """For approvals: before those of users and chats."""
    return Rules(deployment=settings.rules, asks=settings.approvals is Approvals.ASK)


def _services(
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
        rules=_rules(settings),
        clock=live.clock,
        chance=SystemRandom().random,
        slot=Slots(settings.concurrency).take,
        recorder=recorder,
    )


def _recorder(settings: Settings, store: Store, catalog: Catalog, clock: Clock) -> Recorder:
    async def everyone(_: UserId) -> bool:
        return True

    return Recorder(
        db=store.db,
        clock=clock,
        wanted=everyone if settings.debug_records else catalog.wants_debug_records,
        retention_days=settings.debug_retention_days,
    )


@asynccontextmanager
async def _working(
    live: Live,
    worker: Worker | None,
    beside: Mapping[str, Coroutine[None, None, None]],
    *,
    end_processes: Callable[[], Coroutine[None, None, None]],
    give_up: Callable[[], None],
) -> AsyncIterator[None]:
    """Chats are driven and shown inside the block; at its end work is handed over.

    Commands are ended first, so that the calls that wait for them are answered while the worker still saves.
    Tasks that do not end in time may wait for a database that hangs, and such a transaction ignores its
    cancellation: `give_up` ends those.
    """
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        showing = group.create_task(live.run(), name="live")
        others = [group.create_task(each, name=name) for name, each in beside.items()]
        working = group.create_task(worker.run(stop), name="worker") if worker else None
        try:
            yield
        finally:
            stop.set()
            group.create_task(end_processes(), name="end processes")
            if working is not None:
                await asyncio.wait([working], timeout=WORKER_STOP_SECONDS)
                if not working.done():
                    log.warning("worker.not_stopped", seconds=WORKER_STOP_SECONDS)
                    give_up()
                    working.cancel()
            showing.cancel()
            for other in others:
                other.cancel()
            _, pending = await asyncio.wait([showing, *others], timeout=BESIDE_STOP_SECONDS)
            if pending:
                give_up()
