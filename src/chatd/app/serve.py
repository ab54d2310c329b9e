"""Composition: settings in, a running server out. The only file that knows every part."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Protocol

import structlog
from msgspec import Struct
from msgspec.structs import replace
from starlette.types import ASGIApp

from chatd import __version__
from chatd.accounts.admin import check_token, keep_admin_token
from chatd.accounts.sharing.openings import Openings
from chatd.api.app import build
from chatd.api.page.built import BuiltPage
from chatd.api.serving.audited.refusals import Refusals, open_refusals
from chatd.api.serving.connections.server import serve_http
from chatd.api.serving.connections.strangers import STRANGERS_MAX, Strangers
from chatd.api.serving.limits.admission import RequestLimits
from chatd.api.serving.operating.metrics import Metrics
from chatd.api.serving.origins.sites import Sites
from chatd.app.agents import Agents, agents_of, rules_of
from chatd.app.beside import follow_ollama, working
from chatd.app.browsers import built_page, check_ways_in, path_prefix, sign_in_link, sites_of, ways_in
from chatd.app.catalogs import Catalogs, declarations_of, open_catalogs
from chatd.app.ground import Ground, open_ground
from chatd.app.measuring import metrics_place, serve_metrics
from chatd.app.readings import metrics_of
from chatd.app.workplaces import Workplaces, bounds_of, open_workplaces
from chatd.errors import Misconfigured
from chatd.hints.bus import Bus
from chatd.kit.clock import SystemClock
from chatd.kit.ids import new_id
from chatd.kit.process.open_files import open_files_max
from chatd.kit.process.signals import stop_on_signals
from chatd.live.live import Live
from chatd.providers.discovery.ollama import ollama_models
from chatd.providers.discovery.probe import ModelProber
from chatd.settings import Settings
from chatd.storage.data_dir.announce import write_address
from chatd.storage.open import abandon, sqlite_path
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
from chatd.workspaces.protection import offer_in_words

log = structlog.get_logger()

# From the first signal to the end of the process, whatever hangs. Each stage has less: requests under way
# (api/serving/connections/server.py) 5 s, the worker 8 s, what runs beside it 2 s (app/beside.py), the
# connections to the database 3 s.
STOP_SECONDS = 20.0


class Ready(Protocol):
    """Is told where the server is, where the administrator's token is, and where agents work, if they do.

    `link` signs a browser in, where there is a page to see.
    """

    def __call__(self, address: str, token_place: str, workspace: str | None, link: str | None) -> None: ...


class Parts(Struct, frozen=True, kw_only=True):
    """Of a server that is about to answer requests."""

    ground: Ground
    catalogs: Catalogs
    workplaces: Workplaces
    live: Live
    agents: Agents
    membership: Membership
    metrics: Metrics
    refusals: Refusals
    openings: Openings


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
    bounds = bounds_of(settings, settings_files)
    on_this_machine = await ollama_models()
    declared = declarations_of(settings, on_this_machine)
    async with AsyncExitStack() as opened:
        stop = opened.enter_context(
            stop_on_signals(
                within_seconds=STOP_SECONDS,
                asked=lambda name: log.info("server.stopping", signal=name),
                cut_short=lambda why: log.error("server.stop_cut_short", why=why),
            )
        )
        ground = await opened.enter_async_context(open_ground(settings, clock))
        catalogs = await opened.enter_async_context(open_catalogs(settings, ground, declared))
        workplaces = await opened.enter_async_context(open_workplaces(settings, ground, catalogs, bounds))
        live = Live(ground.store, clock)
        # Written by commits, read by viewers' streams.
        recent = Recent()
        store = Store(ground.db, ground.bus, recent=recent)
        agents = agents_of(settings, store, live, catalogs, workplaces)
        worker = _worker(agents, ground.bus, live) if settings.worker else None
        membership = await _joined(opened, ground, worker, None if only_works else ground.address)
        parts = Parts(
            ground=ground,
            catalogs=catalogs,
            workplaces=workplaces,
            live=live,
            agents=agents,
            membership=membership,
            metrics=metrics_of(ground.database, ground.bus, catalogs.catalog, live, agents.slots),
            refusals=await opened.enter_async_context(
                open_refusals(ground.db, clock, servers=membership.serving)
            ),
            openings=Openings(ground.db),
        )
        page, link = await _page(settings, ground) if not only_works else (None, None)
        sites = sites_of(settings)
        async with working(
            live,
            worker,
            {
                **_beside(settings, parts, stop),
                "follow Ollama": follow_ollama(settings, catalogs.store, clock, on_this_machine),
            },
            end_processes=workplaces.end_processes,
            give_up=partial(abandon, ground.database),
        ):
            await serve_http(
                _api(settings, parts, replace(store, driver=worker), page, sites, only_works=only_works),
                ground.listener,
                stop=stop,
                ready=partial(
                    _started,
                    settings,
                    ground,
                    only_works,
                    partial(
                        ready,
                        token_place=ground.admin_token.place,
                        workspace=offer_in_words(bounds.places.root, workplaces.workspaces.protection),
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


def _worker(agents: Agents, bus: Bus, live: Live) -> Worker:
    return Worker(
        agents.services,
        bus,
        before_hand_over=live.log.flush,
        has_slot=agents.slots.work.has_place_for,
    )


async def _joined(
    opened: AsyncExitStack, ground: Ground, worker: Worker | None, address: str | None
) -> Membership:
    """Among the servers of this database before we are ready, until all else has ended."""
    replica = Replica(
        id=new_id(),
        host=socket.gethostname(),
        version=__version__,
        address=address,
        worker_id=worker.id if worker else None,
    )
    membership = Membership(ground.db, ground.clock, replica)
    await membership.beat()
    opened.push_async_callback(membership.leave)
    return membership


def _beside(settings: Settings, parts: Parts, stop: asyncio.Event) -> dict[str, Coroutine[None, None, None]]:
    """What runs while requests are answered, by name."""
    ground, places = parts.ground, parts.workplaces
    db, bus, clock = ground.db, ground.bus, ground.clock
    return {
        "refusals": parts.refusals.run(clock),
        "openings of links": parts.openings.run(clock),
        "administrator's token": keep_admin_token(db, clock, ground.admin_token),
        "metrics": serve_metrics(ground.measuring, parts.metrics, settings, stop),
        "membership": parts.membership.run(),
        "chores": do_chores(ground.store, clock),
        "texts": parts.agents.texts.run(),
        "search index": keep_search_index(db, bus, clock),
        "left processes": end_left_processes(db, bus, places.workspaces, clock),
        "left copies": remove_left_copies(db, bus, places.access.to, clock),
        "left checkpoints": forget_left_checkpoints(db, bus, places.checkpoints, clock),
    }


def _api(
    settings: Settings, parts: Parts, store: Store, page: BuiltPage | None, sites: Sites, *, only_works: bool
) -> ASGIApp:
    """What answers requests, and commits with `store`."""
    ground, catalogs, places, agents = parts.ground, parts.catalogs, parts.workplaces, parts.agents
    return build(
        store,
        parts.live,
        only_works=only_works,
        catalog_store=catalogs.store,
        metrics=parts.metrics,
        prober=ModelProber(catalogs.models, ground.clock),
        mcp=catalogs.mcp,
        mcp_prober=places.prober,
        chat_servers=places.chat_servers,
        prompts=agents.prompts,
        titles=agents.titles,
        outage=ground.outage,
        refusals=parts.refusals,
        openings=parts.openings,
        debug_forced=settings.debug_records,
        places=places.places,
        protection=places.workspaces.protection,
        rules=rules_of(settings),
        policy=settings.policy,
        open_workspace=places.access.to,
        tool_names=agents.toolboxes,
        page=page,
        path_prefix=path_prefix(settings),
        sites=sites,
        proxy_header=settings.proxy_header,
        ways=ways_in(settings, ground.local_address),
        limits=RequestLimits(
            by_kind=settings.rates,
            refreshes_per_minute=settings.uploads_per_minute,
            sign_ins_per_minute=settings.sign_ins_per_minute,
            guests_per_minute=settings.guests_per_minute,
            wrong_tokens_per_minute=settings.wrong_tokens_per_minute,
            servers=parts.membership.serving,
        ),
        file_bytes_max=settings.file_bytes_max,
    )


async def _page(settings: Settings, ground: Ground) -> tuple[BuiltPage | None, str | None]:
    """The page that browsers are shown, and a link that signs one in there."""
    page = built_page()
    link = await sign_in_link(ground.db, settings, ground.local_address) if page else None
    return page, link


def _started(
    settings: Settings,
    ground: Ground,
    only_works: bool,  # noqa: FBT001 - of a partial
    ready: Callable[[str], None],
) -> None:
    if not only_works:
        # Commands on this machine talk to the server that they find there.
        write_address(settings.data_dir, ground.local_address)
    log.info("server.started", version=__version__, address=ground.address, database=ground.db.engine.value)
    ready(ground.address)
