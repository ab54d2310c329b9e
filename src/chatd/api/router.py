"""A small typed router: a route is data, and its handler is given checked values.

A handler never sees a request and never makes a response. So everything that is true of every
endpoint (who asks, limits, shapes, errors, ids) is in `resource.py`, once.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import structlog
from msgspec import Struct
from starlette.responses import Response

from chatd.accounts.users import User
from chatd.accounts.ways_in.ways import USUAL_WAYS, WaysIn
from chatd.agent.prompts.as_sent import PromptReader
from chatd.agent.texts.titles import Titles
from chatd.api import failures
from chatd.api.serving.assets import Asset
from chatd.api.serving.audited.audited_reads import AuditedReads
from chatd.api.serving.audited.refusals import Refusals
from chatd.api.serving.callers.auth import Caller, Callers, Visit, asked_by
from chatd.api.serving.callers.permits import Seen, may, may_in
from chatd.api.serving.intake import BODY_BYTES_MAX
from chatd.api.serving.limits.admission import AtOnce, Heavy, HeldBytes
from chatd.api.serving.limits.guests import GuestRoom
from chatd.api.serving.limits.rate import Tally
from chatd.api.serving.limits.rates import ByAddress, CallerRates
from chatd.api.serving.limits.waiting import Waiting
from chatd.api.serving.operating.metrics import Metrics
from chatd.api.serving.operating.readiness import Readiness
from chatd.approvals.judge import Rules
from chatd.catalog.mcp.probe import McpProber
from chatd.catalog.mcp.services import McpServices
from chatd.catalog.models.probe import Prober
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import USUAL_POLICY, Policy
from chatd.domain.people.rates import Counted
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.concurrency.once import Once
from chatd.live.live import Live
from chatd.mcp.chat_servers import ChatServers
from chatd.storage.tables.files import FileRoom
from chatd.storage.transactions.transact import Store
from chatd.workspaces.places import NOWHERE, Places
from chatd.workspaces.protection import NO_COMMANDS, Protection
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable

log = structlog.get_logger()

Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct)
A = TypeVar("A")


class ToolNames(Protocol):
    """The names of the tools that the server runs itself."""

    def names(self, provider: str, *, has_workspace: bool) -> frozenset[str]:
        """Those that models of a provider of this type have, in a chat with or without a workspace."""
        ...

    def all_names(self) -> frozenset[str]: ...


class NoToolNames:
    def names(self, provider: str, *, has_workspace: bool) -> frozenset[str]:  # noqa: ARG002
        return frozenset()

    def all_names(self) -> frozenset[str]:
        return frozenset()


NO_TOOL_NAMES: ToolNames = NoToolNames()


async def no_workspace(directory: str) -> Workspace:
    raise WorkspaceUnusable(f"{directory} is not a workspace of this server.")


class Server(Struct, frozen=True):
    """What handlers work with."""

    store: Store
    # OpenAPI, made when it is first asked for.
    document: Once[Asset]
    callers: Callers
    rates: CallerRates
    live: Live
    catalog_store: CatalogStore
    prober: Prober
    mcp: McpServices
    mcp_prober: McpProber
    heavy: Mapping[Heavy, AtOnce]
    held: HeldBytes
    metrics: Metrics
    readiness: Readiness
    refusals: Refusals
    audited_reads: AuditedReads
    # What each user may have of files.
    file_room: FileRoom
    guests: GuestRoom
    # Streams that are asked for while the database is away.
    waiting: Waiting
    # Whether this deployment records all chats for debugging, whatever administrators and users choose.
    debug_forced: bool = False
    places: Places = NOWHERE
    tool_names: ToolNames = NO_TOOL_NAMES
    # Of the commands of agents.
    protection: Protection = NO_COMMANDS
    # Of the deployment, for approvals; and whether people are asked at all.
    rules: Rules = Rules()
    # The workspace of a chat that was made with this directory. Raises WorkspaceUnusable.
    open_workspace: Callable[[str], Awaitable[Workspace]] = no_workspace
    # None where no chats are driven.
    chat_servers: ChatServers | None = None
    prompts: PromptReader | None = None
    titles: Titles | None = None
    policy: Policy = USUAL_POLICY
    ways: WaysIn = USUAL_WAYS

    def admitted(self, kind: Heavy, caller: Caller, tally: Tally) -> AbstractContextManager[None]:
        """A turn among what is heavy. Raises TooManyRequests, TooMuchAtOnce or Busy."""
        limits = self.rates.limits_of_heavy(kind, caller)
        return self.heavy[kind].admitted(caller.user.id, limits, tally)

    def access_changed(self, user_id: UserId | None) -> None:
        """What this user, or anybody, may do is different now: at once, for streams too, on all servers."""
        access_changed(self.live, self.store, user_id)


def access_changed(live: Live, store: Store, user_id: UserId | None) -> None:
    live.streams.ask_again(user_id)
    store.hints.announce(CatalogChanged(kind=CatalogKind.USER_ACCESS, entity=user_id))


class Download(Struct, frozen=True, kw_only=True):
    """An answer that is not JSON."""

    data: bytes
    media_type: str
    headers: Mapping[str, str] = {}


class Streamed(Struct, frozen=True, kw_only=True):
    """The same, of any length: its pieces are made as they are taken."""

    pieces: AsyncIterator[bytes]
    media_type: str
    headers: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class WithHeaders(Generic[A]):
    """An answer, and what a browser is told beside it."""

    answer: A
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Redirect:
    """An answer that sends a browser elsewhere, with a cookie."""

    location: str
    cookie: str | None = None

    def response(self, status: int) -> Response:
        headers = {"Location": self.location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
        return Response(
            status_code=status, headers=headers | ({"Set-Cookie": self.cookie} if self.cookie else {})
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[Q, B]):
    """What was asked, and by whom."""

    server: Server
    path: Mapping[str, str]
    query: Q
    body: B
    visit: Visit
    caller: Caller | None
    # What the caller wants to do: the deed of the route, and those of the fields that they named.
    deeds: tuple[Deed, ...]
    tally: Tally = field(default_factory=Tally)
    # Of a guest: the hash of the code that they have shown, which may be of no link.
    code_hash: str = ""

    @property
    def store(self) -> Store:
        return self.server.store

    @property
    def known(self) -> Caller:
        assert self.caller is not None, "a route that is open to anyone has no user"
        return self.caller

    @property
    def user(self) -> User:
        return self.known.user

    @property
    def sign_in_id(self) -> str | None:
        """Of the browser that asks. None for a caller with a token."""
        return self.caller.sign_in_id if self.caller is not None else None

    @property
    def by(self) -> AskedBy:
        """The same for what is written down: hand it to whatever records a deed."""
        return asked_by(self.caller, self.visit)

    def admitted(self, kind: Heavy) -> AbstractContextManager[None]:
        """For the part of a handler that is more work than a message."""
        return self.server.admitted(kind, self.known, self.tally)

    def may(self, deed: Deed, seen: Seen | None = None) -> bool:
        """For what is left out of an answer, and refused to nobody."""
        if seen is None:
            return may(self.known, deed)
        return may_in(self.known, deed, seen.chat, seen.relation, self.server.policy)


NO_FIELDS: Mapping[str, Deed] = {}


class Larger(Struct, frozen=True, kw_only=True):
    """Bodies beyond the usual size of a route, for requests that carry something which may be large."""

    bytes_max: int
    # Such a request takes a turn among these, from the byte on that makes it so large.
    heavy: Heavy
    carries_it: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Route(Generic[Q, B, A]):
    method: str
    path: str
    handler: Callable[[Asked[Q, B]], Awaitable[A | WithHeaders[A]]]
    summary: str
    # Without a default: what nobody decided on is not served.
    deed: Deed
    query: type[Q]
    body: type[B]
    answer: type[A]
    # What a request also does, by the fields of its query and its body that it names.
    by_field: Mapping[str, Deed] = field(default_factory=dict)
    # What it does instead, by the fields of its query that it names.
    instead: Mapping[str, Deed] = field(default_factory=dict)
    status: int = 200
    body_bytes_max: int = BODY_BYTES_MAX
    larger: Larger | None = None
    # No body at all is one that names nothing.
    body_optional: bool = False
    # What a Download may be.
    media_types: tuple[str, ...] = ()
    # What its JSON is, where one of them is JSON of ours.
    json: type[Struct] | None = None
    # The statuses of its handler's own refusals; `openapi/` adds what is true of all such routes.
    refuses: tuple[int, ...] = ()
    # How they are written: also those that never reach its handler.
    refused: failures.Written = failures.as_json
    # Takes a turn among the requests of its kind, before its body is read.
    heavy: Heavy | None = None
    # Whether it counts among the requests of a minute, and among which of them it is counted once more.
    counted: bool = True
    also_counted: Counted | None = None
    # Among what requests from one address are counted, where anyone may ask.
    by_address: ByAddress | None = None
    # For who has the code of a public link, and for nobody else: the link says which chat it is about.
    for_guests: bool = False


# Routes of one table differ in all three types; each was checked where it was written down.
AnyRoute: TypeAlias = Route[Any, Any, Any]
