"""Composition: settings in, a running server out. The only file that knows every part."""

import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

import structlog

from chatd import __version__
from chatd.accounts.admin import check_token, ensure_admin, keep_admin_token
from chatd.accounts.sharing.openings import Openings
from chatd.accounts.users import is_only_user
from chatd.api.app import build
from chatd.api.page.built import BuiltPage
from chatd.api.serving.audited.refusals import open_refusals
from chatd.api.serving.connections.server import address_of, bound, local_address_of, serve_http
from chatd.api.serving.connections.strangers import STRANGERS_MAX, Strangers
from chatd.api.serving.limits.admission import RequestLimits
from chatd.app.agents import Agents, agents_of, rules_of
from chatd.app.beside import declared_models, end_processes, follow_ollama, working
from chatd.app.browsers import built_page, check_ways_in, path_prefix, sign_in_link, sites_of, ways_in
from chatd.app.bus import open_bus
from chatd.app.confinement import confinement_of, database_files, places_of
from chatd.app.measuring import metrics_listener, metrics_place, serve_metrics
from chatd.app.readings import metrics_of
from chatd.app.telemetry import traced, tracing
from chatd.catalog.catalog import Catalog, open_catalog
from chatd.catalog.keys.secrets import read_or_make
from chatd.catalog.mcp.declared import declare_servers
from chatd.catalog.mcp.oauth.tokens import open_user_tokens
from chatd.catalog.mcp.resolve import McpResolver
from chatd.catalog.mcp.services import McpServices, mcp_services
from chatd.catalog.models.declared import Declared, notice_of
from chatd.catalog.models.store import CatalogStore
from chatd.errors import Misconfigured
from chatd.hints.bus import Bus
from chatd.kit.clock import Clock, SystemClock
from chatd.kit.ids import new_id
from chatd.kit.outbound.lookups import Lookups
from chatd.kit.outbound.reach import Reach
from chatd.kit.process.open_files import open_files_max
from chatd.kit.process.signals import stop_on_signals
from chatd.live.live import Live
from chatd.mcp.chat_servers import ChatServers
from chatd.mcp.connections.connections import open_connections
from chatd.mcp.connections.opening import wire_sessions
from chatd.mcp.prober import ServerProber
from chatd.mcp.workspace.servers import WorkspaceServers
from chatd.mcp.workspace.trust import TrustStore
from chatd.providers.credentials.cache import CredentialCache
from chatd.providers.discovery.ollama import ollama_models
from chatd.providers.discovery.probe import ModelProber
from chatd.providers.registry import Registry
from chatd.providers.scripted.model import ScriptedModel
from chatd.providers.transport.http import Pools
from chatd.settings import Settings
from chatd.storage.data_dir.announce import forget_address, write_address
from chatd.storage.data_dir.data_dir import locked, open_data_dir
from chatd.storage.database import Database
from chatd.storage.health.outage import Outage
from chatd.storage.migrate import Migration, migrate
from chatd.storage.open import abandon, open_database, sqlite_path
from chatd.storage.queries import SqlEngine
from chatd.storage.tables.leases import forget_everyone
from chatd.storage.tables.replicas import Replica
from chatd.storage.transactions.recent import Recent
from chatd.storage.transactions.transact import Store
from chatd.worker.chores import do_chores
from chatd.worker.leftovers.checkpoints import forget_left_checkpoints
from chatd.worker.leftovers.copies import remove_left_copies
from chatd.worker.leftovers.processes import end_left_processes
from chatd.worker.membership import Membership
from chatd.worker.search_index import keep_search_index
from chatd.worker.worker import Worker
from chatd.workspaces.access import WorkspaceAccess
from chatd.workspaces.local.checkpoints.all_checkpoints import AllCheckpoints
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.local.open_workspaces import open_workspaces
from chatd.workspaces.local.sandbox.confine import (
    offered_enclosure,
)
from chatd.workspaces.protection import offer_in_words

log = structlog.get_logger()

# In the data directory: what belongs to the workspaces, each in a directory of its own.
WORKSPACES = "workspaces"
# From the first signal to the end of the process, whatever hangs. Each stage has less: requests under way
# (api/serving/connections/server.py) 5 s, the worker 8 s, what runs beside it 2 s (app/beside.py), the
# connections to the database 3 s.
STOP_SECONDS = 20.0


class Ready(Protocol):
    """Is told where the server is, where the administrator's token is, and where agents work, if they do.

    `link` signs a browser in, where there is a page to see.
    """

    def __call__(self, address: str, token_place: str, workspace: str | None, link: str | None) -> None: ...


async def serve(
    settings: Settings, *, ready: Ready, settings_files: Sequence[Path] = (), only_works: bool = False
) -> None:
    """Run until a signal says stop.

    `only_works`: as a worker of a fleet, that drives chats and tells people nothing of them.
    `settings_files` are those that the settings were read from: agents must not see them.
    `ready` is called once requests are answered. Raises Unusable when something stands in the way of that.
    """
    clock = SystemClock()
    _check(settings, only_works=only_works)
    private = (*settings_files, *database_files(settings))
    places = places_of(settings, private)
    confinement = confinement_of(settings, private)
    on_this_machine = await ollama_models()
    declared = _declared(settings, on_this_machine)
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
        measuring = opened.enter_context(metrics_listener(settings))
        outage = Outage()
        await opened.enter_async_context(tracing(wanted=settings.traces))
        database = await opened.enter_async_context(open_database(settings.database, clock, outage))
        db = traced(database, wanted=settings.traces)
        await _bring_up_to_date(db)
        admin_token = await ensure_admin(db, settings.data_dir, settings.admin_token)
        bus = await opened.enter_async_context(open_bus(settings, clock))
        secrets = read_or_make(settings.data_dir, settings.secret_key)
        catalog_store = CatalogStore(Store(db, bus), declared, secrets, declared_servers)
        await catalog_store.keys.check_secrets()
        catalog = await opened.enter_async_context(open_catalog(catalog_store, bus, clock))
        mcp = mcp_services(
            Store(db, bus),
            catalog_store.mcp,
            secrets,
            reach=Reach(private_hosts=settings.mcp_private_hosts, resolve=Lookups()),
            clock=clock,
            public_url=settings.public_url or local_address_of(settings.host, listener),
        )
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
        agents = agents_of(
            settings,
            Store(db, bus, recent=recent),
            live,
            catalog=catalog,
            models=models,
            chat_servers=chat_servers,
            access=access,
            protection=workspaces.protection,
        )
        worker = _worker(agents, bus, live) if settings.worker else None
        membership = await _joined(
            opened, db, clock, None if only_works else address_of(settings.host, listener), worker
        )
        metrics = metrics_of(database, bus, catalog, live, agents.slots)
        refusals = await opened.enter_async_context(open_refusals(db, clock, servers=membership.serving))
        openings = Openings(db)
        beside = {
            "refusals": refusals.run(clock),
            "openings of links": openings.run(clock),
            "administrator's token": keep_admin_token(db, clock, admin_token),
            "metrics": serve_metrics(measuring, metrics, settings, stop),
            "membership": membership.run(),
            "follow Ollama": follow_ollama(settings, catalog_store, clock, on_this_machine),
            "chores": do_chores(Store(db, bus), clock),
            "texts": agents.texts.run(),
            "search index": keep_search_index(db, bus, clock),
            "left processes": end_left_processes(db, bus, workspaces, clock),
            "left copies": remove_left_copies(db, bus, access.to, clock),
            "left checkpoints": forget_left_checkpoints(
                db, bus, AllCheckpoints(git_path(), settings.data_dir / WORKSPACES), clock
            ),
        }
        page, link = await _page(settings, db, listener) if not only_works else (None, None)
        async with working(
            live,
            worker,
            beside,
            end_processes=partial(end_processes, workspaces, connections),
            give_up=partial(abandon, database),
        ):
            sites = sites_of(settings)
            await serve_http(
                build(
                    Store(db, bus, worker, recent),
                    live,
                    only_works=only_works,
                    catalog_store=catalog_store,
                    metrics=metrics,
                    prober=ModelProber(models, clock),
                    mcp=mcp,
                    mcp_prober=ServerProber(mcp_servers.server, open_session, clock),
                    chat_servers=chat_servers,
                    prompts=agents.prompts,
                    titles=agents.titles,
                    outage=outage,
                    refusals=refusals,
                    openings=openings,
                    debug_forced=settings.debug_records,
                    places=places,
                    protection=workspaces.protection,
                    rules=rules_of(settings),
                    policy=settings.policy,
                    open_workspace=access.to,
                    tool_names=agents.toolboxes,
                    page=page,
                    path_prefix=path_prefix(settings),
                    sites=sites,
                    proxy_header=settings.proxy_header,
                    ways=ways_in(settings, local_address_of(settings.host, listener)),
                    limits=RequestLimits(
                        by_kind=settings.rates,
                        refreshes_per_minute=settings.uploads_per_minute,
                        sign_ins_per_minute=settings.sign_ins_per_minute,
                        guests_per_minute=settings.guests_per_minute,
                        wrong_tokens_per_minute=settings.wrong_tokens_per_minute,
                        servers=membership.serving,
                    ),
                    file_bytes_max=settings.file_bytes_max,
                ),
                listener,
                stop=stop,
                ready=partial(
                    _started,
                    settings,
                    listener,
                    db.engine,
                    only_works,
                    partial(
                        ready,
                        token_place=admin_token.place,
                        workspace=offer_in_words(places.root, workspaces.protection),
                        link=link,
                    ),
                ),
                end_streams=live.streams.end,
                strangers=Strangers(
                    trusted=sites.proxies.networks,
                    # Files are needed for more than these.
                    strangers_max=min(STRANGERS_MAX, open_files_max() // 2),
                ),
            )
    log.info("server.stopped")


def _check(settings: Settings, *, only_works: bool) -> None:
    """Raises Misconfigured, before anything is opened."""
    if settings.admin_token is not None:
        check_token(settings.admin_token)
    metrics_place(settings)
    check_ways_in(settings)
    if only_works and sqlite_path(settings.database) is not None:
        raise Misconfigured(
            "`chatd worker` needs the PostgreSQL of the servers whose chats it drives: set "
            "CHATD_DATABASE_URL. On SQLite there is one process, `chatd serve`."
        )
    if only_works and not settings.worker:
        raise Misconfigured("`chatd worker` drives chats, and CHATD_WORKER=false says not to. Take it out.")


def _declared(settings: Settings, on_this_machine: Sequence[str]) -> Declared:
    declared = declared_models(settings, on_this_machine)
    for provider in declared.providers:
        if notice := notice_of(provider):
            log.warning("provider.unusable", provider=provider.name, notice=notice)
    return declared


async def _bring_up_to_date(db: Database) -> None:
    _log_migrations(await migrate(db))
    if db.engine is SqlEngine.SQLITE:
        await forget_everyone(db)


def _log_migrations(applied: Sequence[Migration]) -> None:
    if applied and applied[0].number == 1:
        # What was there before each of them is no news where there was nothing.
        log.info("database.created", migrations=len(applied))
        return
    for migration in applied:
        log.info("migration.applied", number=migration.number, name=migration.name)


async def _page(
    settings: Settings, db: Database, listener: socket.socket
) -> tuple[BuiltPage | None, str | None]:
    """The page that browsers are shown, and a link that signs one in there."""
    page = built_page()
    link = await sign_in_link(db, settings, local_address_of(settings.host, listener)) if page else None
    return page, link


def _worker(agents: Agents, bus: Bus, live: Live) -> Worker:
    return Worker(
        agents.services,
        bus,
        before_hand_over=live.log.flush,
        has_slot=agents.slots.work.has_place_for,
    )


async def _joined(
    opened: AsyncExitStack, db: Database, clock: Clock, address: str | None, worker: Worker | None
) -> Membership:
    """Among the servers of this database before we are ready, until all else has ended."""
    replica = Replica(
        id=new_id(),
        host=socket.gethostname(),
        version=__version__,
        address=address,
        worker_id=worker.id if worker else None,
    )
    membership = Membership(db, clock, replica)
    await membership.beat()
    opened.push_async_callback(membership.leave)
    return membership


def _started(
    settings: Settings,
    listener: socket.socket,
    database: SqlEngine,
    only_works: bool,  # noqa: FBT001 - of a partial
    ready: Callable[[str], None],
) -> None:
    address = address_of(settings.host, listener)
    if not only_works:
        # Commands on this machine talk to the server that they find there.
        write_address(settings.data_dir, local_address_of(settings.host, listener))
    log.info("server.started", version=__version__, address=address, database=database.value)
    ready(address)


@asynccontextmanager
async def _resolving_servers(
    settings: Settings, catalog: Catalog, mcp: McpServices, clock: Clock
) -> AsyncIterator[McpResolver]:
    """The MCP servers of chats, with tokens that are refreshed inside the block."""
    async with open_user_tokens(mcp.store, mcp.grants, mcp.endpoint, clock) as tokens:
        yield McpResolver(mcp.store, catalog.mcp_servers, tokens.of, private_hosts=settings.mcp_private_hosts)
