"""The API as one ASGI application."""

import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial

from starlette.types import ASGIApp, Receive, Scope, Send

from chatd.accounts.sharing.openings import Openings
from chatd.accounts.ways_in.declared import ProxyHeader
from chatd.accounts.ways_in.ways import USUAL_WAYS, WaysIn
from chatd.agent.prompts.as_sent import PromptReader
from chatd.agent.texts.titles import Titles
from chatd.api import failures
from chatd.api.dispatch import Dispatch, Table
from chatd.api.page.built import BuiltPage
from chatd.api.page.serve import PageResource
from chatd.api.router import (
    NO_TOOL_NAMES,
    Server,
    ToolNames,
    access_changed,
    no_workspace,
)
from chatd.api.routes import ROUTES, STREAMS, WORKER_ROUTES
from chatd.api.serving.assets import Asset
from chatd.api.serving.audited.audited_reads import AuditedReads
from chatd.api.serving.audited.refusals import Refusals
from chatd.api.serving.callers.auth import Callers
from chatd.api.serving.limits.admission import REQUEST_LIMITS, HeldBytes, RequestLimits, at_once
from chatd.api.serving.limits.attempts import Attempts
from chatd.api.serving.limits.guests import guest_room
from chatd.api.serving.limits.rates import CallerRates
from chatd.api.serving.limits.waiting import Waiting
from chatd.api.serving.operating.canonical import Canonical
from chatd.api.serving.operating.metrics import Metrics
from chatd.api.serving.operating.readiness import Readiness
from chatd.api.serving.origins.cors import Cors
from chatd.api.serving.origins.hosts import KnownHosts
from chatd.api.serving.origins.prefix import Prefixed
from chatd.api.serving.origins.sites import Sites
from chatd.api.serving.proxies.header import HeaderReader
from chatd.approvals.judge import Rules
from chatd.catalog.keys.secrets import KEY_BYTES, Secrets
from chatd.catalog.mcp.probe import McpProber, NoMcpProber
from chatd.catalog.mcp.services import McpServices, mcp_services
from chatd.catalog.models.declared import declare
from chatd.catalog.models.probe import NoProber, Prober
from chatd.catalog.models.store import CatalogStore
from chatd.domain.people.permit import USUAL_POLICY, Policy
from chatd.errors import NotFound
from chatd.kit.clock import SystemClock
from chatd.kit.concurrency.once import Once
from chatd.kit.lazily import lazily
from chatd.kit.outbound.reach import Reach
from chatd.live.live import Live
from chatd.mcp.chat_servers import ChatServers
from chatd.storage.health.outage import Outage
from chatd.storage.tables.files import UNUSED_BYTES_MAX, FileRoom
from chatd.storage.transactions.transact import Store
from chatd.workspaces.places import NOWHERE, Places
from chatd.workspaces.protection import NO_COMMANDS, Protection
from chatd.workspaces.workspace import Workspace

NO_RULES = Rules()
ANY_SITE = Sites()

SERVER_TABLE, WORKER_TABLE = Table(ROUTES, STREAMS), Table(WORKER_ROUTES)
openapi = lazily("chatd.api.openapi.served")

# What there is instead of a path that is not there.
OF_A_SERVER = "GET /api/v1/openapi.json describes what there is."
OF_A_WORKER = "This is a worker. It answers /healthz, /readyz and /metrics; the API is at `chatd serve`."


def build(  # noqa: PLR0913 - what it puts together, each with a default for tests
    store: Store,
    live: Live | None = None,
    *,
    only_works: bool = False,
    catalog_store: CatalogStore | None = None,
    prober: Prober | None = None,
    mcp: McpServices | None = None,
    mcp_prober: McpProber | None = None,
    metrics: Metrics | None = None,
    outage: Outage | None = None,
    refusals: Refusals | None = None,
    openings: Openings | None = None,
    debug_forced: bool = False,
    tool_names: ToolNames = NO_TOOL_NAMES,
    places: Places = NOWHERE,
    protection: Protection = NO_COMMANDS,
    rules: Rules = NO_RULES,
    open_workspace: Callable[[str], Awaitable[Workspace]] = no_workspace,
    chat_servers: ChatServers | None = None,
    prompts: PromptReader | None = None,
    titles: Titles | None = None,
    policy: Policy = USUAL_POLICY,
    page: BuiltPage | None = None,
    path_prefix: str = "",
    sites: Sites = ANY_SITE,
    proxy_header: ProxyHeader | None = None,
    ways: WaysIn = USUAL_WAYS,
    limits: RequestLimits = REQUEST_LIMITS,
    file_bytes_max: int = 0,
    now_seconds: Callable[[], float] = time.monotonic,
) -> ASGIApp:
    """Without a catalog store there is the scripted model, and no later process can read stored keys.

    `only_works`: only whether this process lives, can work, and its numbers are told.
    `path_prefix` is what the path of the public address begins with, or nothing.
    """
    own_secrets = Secrets(secrets.token_bytes(KEY_BYTES))
    catalog_store = catalog_store or CatalogStore(store, declare(), own_secrets)
    live = live or Live(store, SystemClock())
    server = Server(
        store,
        Once(_document),
        Callers(
            store.db,
            now_seconds,
            sites,
            live.streams,
            attempts=Attempts(limits, now_seconds, live.clock.sleep),
            header=HeaderReader(proxy_header) if proxy_header is not None else None,
            access_changed=partial(access_changed, live, store),
        ),
        CallerRates(limits, now_seconds),
        live,
        catalog_store,
        prober or NoProber(),
        mcp or _mcp_services(store, catalog_store, own_secrets),
        mcp_prober or NoMcpProber(),
        at_once(limits, now_seconds),
        HeldBytes(all_max=limits.held_bytes_max, per_user_max=limits.held_bytes_per_user_max),
        metrics or Metrics(),
        Readiness(store.db, outage or Outage(), now_seconds),
        refusals or Refusals(store.db, now_seconds, servers=limits.servers),
        AuditedReads(store.db, now_seconds),
        FileRoom(bytes_max=file_bytes_max, unused_bytes_max=UNUSED_BYTES_MAX),
        guest_room(limits, openings or Openings(store.db)),
        Waiting(in_all=limits.waiting_max, of_network=limits.waiting_per_address_max),
        debug_forced,
        places,
        tool_names,
        protection,
        rules,
        open_workspace,
        chat_servers,
        prompts,
        titles,
        policy,
        ways,
    )
    no_such_path = partial(_no_such_path, OF_A_WORKER if only_works else OF_A_SERVER)
    # A worker has no page, and no API of which one could say that it is below /api/v1/.
    with_page = PageResource(page, no_such_path, embed_origins=sites.embed_origins)
    shown: ASGIApp = no_such_path if only_works else with_page
    dispatch = Dispatch(server, WORKER_TABLE if only_works else SERVER_TABLE, shown)
    callable_by_pages = Cors(dispatch, sites.cors_origins) if sites.cors_origins else dispatch
    return Prefixed(Canonical(KnownHosts(callable_by_pages, sites)), path_prefix)


def _document() -> Asset:
    made: Asset = openapi.served_document()
    return made


def _mcp_services(store: Store, catalog_store: CatalogStore, own_secrets: Secrets) -> McpServices:
    return mcp_services(
        store,
        catalog_store.mcp,
        own_secrets,
        reach=Reach(private_hosts=False),
        clock=SystemClock(),
        public_url="http://127.0.0.1",
    )


async def _no_such_path(hint: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Also to a WebSocket, as its plain answer. Every path that exists takes every method."""
    refusal = NotFound("path_not_found", f"There is nothing at {scope['path']!r}.", hint=hint)
    await failures.refusal(refusal)(scope, receive, send)
