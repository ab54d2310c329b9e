"""A small typed router: a route is data, and its handler is given checked values.

A handler never sees a request and never makes a response. So everything that is true of every
endpoint (who asks, limits, shapes, errors, ids) is here once.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import structlog
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatd.accounts.users import User
from chatd.accounts.ways_in.ways import USUAL_WAYS, WaysIn
from chatd.agent.prompts.as_sent import PromptReader
from chatd.agent.texts.titles import Titles
from chatd.api import failures
from chatd.api.bodies import Nothing
from chatd.api.serving.assets import Asset, form_for
from chatd.api.serving.audited.audited_reads import AuditedReads
from chatd.api.serving.audited.refusals import Refusals, refused_entry
from chatd.api.serving.callers import guests
from chatd.api.serving.callers.auth import Caller, Callers, Visit, asked_by, cross_site, visit_of
from chatd.api.serving.callers.permits import Seen, check_at_door, may, may_in
from chatd.api.serving.intake import BODY_BYTES_MAX, decoded, parameters, read_body, too_large
from chatd.api.serving.limits.admission import AtOnce, Heavy, HeldBytes, Hold
from chatd.api.serving.limits.guests import GuestRoom
from chatd.api.serving.limits.rate import Tally
from chatd.api.serving.limits.rates import ByAddress, CallerRates
from chatd.api.serving.limits.waiting import Waiting
from chatd.api.serving.operating.canonical import line_of
from chatd.api.serving.operating.metrics import Metrics
from chatd.api.serving.operating.readiness import Readiness
from chatd.api.serving.pieces import PIECE_BYTES, AsMade, InPieces
from chatd.api.serving.uploads import Upload, read_upload
from chatd.approvals.judge import Rules
from chatd.catalog.mcp.probe import McpProber
from chatd.catalog.mcp.services import McpServices
from chatd.catalog.models.probe import Prober
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy
from chatd.domain.people.deeds import CHAT_DEEDS, Cell, Deed
from chatd.domain.people.permit import USUAL_POLICY, Policy
from chatd.domain.people.rates import Counted
from chatd.errors import Refused, Unavailable
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.codec import Decoder, encode
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
    live.streams.ask_again()
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
NO_DEEDS: frozenset[Deed] = frozenset()


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


@cache
def _decoder(body: type[B]) -> Decoder[B]:
    """Made once, however many applications there are in a process."""
    return Decoder(body)


class Resource:
    """Everything that can be done at one path. An ASGI app, so that a wrong method is ours to answer."""

    def __init__(self, server: Server, routes: Sequence[AnyRoute]) -> None:
        self._server = server
        self._headers = guests.HEADERS if routes[0].for_guests else ()
        self._routes = {route.method: route for route in routes}
        self._decoders: dict[str, Decoder[Any]] = {
            route.method: _decoder(route.body)  # type: ignore[arg-type]  # mypy: types are hashable
            for route in routes
        }
        # Those of one path have the same callers.
        self._refused = routes[0].refused
        if "GET" in self._routes:
            # The same answer; the server leaves its body out.
            self._routes["HEAD"] = self._routes["GET"]
            self._decoders["HEAD"] = self._decoders["GET"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, tally = Request(scope, receive), Tally()
        try:
            response = await self._respond(request, tally)
        except (Refused, Unavailable) as error:
            response = failures.refusal(error, self._refused)
        except ClientDisconnect:
            return  # The client has gone; there is no connection to answer on.
        except Exception:
            request_id = line_of(scope).request_id
            log.exception("request.failed", request_id=request_id)
            response = failures.breakdown(request_id, self._refused)
        response.raw_headers.extend((*tally.headers, *self._headers))
        await response(scope, receive, send)

    async def _respond(self, request: Request, tally: Tally) -> Response:
        route = self._routes.get(request.method)
        if route is None:
            raise failures.WrongMethod(request.method, tuple(sorted(self._routes)))
        line_of(request.scope).route = route.path
        visit = visit_of(request.scope, request.headers, self._server.callers.sites)
        caller = await self._caller(request, route, visit, tally)
        try:
            return await self._answered(request, route, visit, caller, tally)
        except failures.Forbidden as error:
            if caller is not None:
                refused = refused_entry(
                    _deed(route, request), route.path, request.path_params.get("chat_id"), error.code
                )
                await self._server.refusals.note(asked_by(caller, visit), refused)
            raise

    async def _answered(
        self, request: Request, route: AnyRoute, visit: Visit, caller: Caller | None, tally: Tally
    ) -> Response:
        if caller is not None:
            check_at_door(caller, (_deed(route, request),))
        query = parameters(request.query_params, route.query)
        sites = self._server.callers.sites
        asked: Asked[Struct, Struct] = Asked(
            server=self._server,
            path=request.path_params,
            query=query,
            body=Nothing(),
            visit=visit,
            caller=caller,
            deeds=(_deed(route, request), *_named(route, query, caller)),
            tally=tally,
            code_hash=(
                guests.code_hash_in(request.scope, request.headers, sites) if route.for_guests else ""
            ),
        )
        # For whom memory is counted.
        holder = caller.user.id if caller is not None else asked.visit.network
        if route.body is Nothing:
            answer = await route.handler(asked)
        else:
            answer = await self._answer_to_body(request, route, asked, holder)
        if answer is None:
            return Response(status_code=route.status)
        if isinstance(answer, Streamed):
            return AsMade(answer.pieces, route.status, answer.headers, answer.media_type)
        if isinstance(answer, Redirect):
            return answer.response(route.status)
        if isinstance(answer, Asset):
            form = form_for(answer, request.headers)
            about = {"X-Content-Type-Options": "nosniff", **form.headers}
            return self._counted(Response(form.data, form.status, about, answer.media_type), route, holder)
        data, headers, media_type = _written(answer)
        return self._counted(Response(data, route.status, headers, media_type), route, holder)

    def _counted(self, response: Response, route: AnyRoute, holder: str) -> Response:
        """One that is large is sent as it is taken, and counts for its receiver until then."""
        if len(response.body) <= PIECE_BYTES:
            return response
        hold = (self._server.guests.held if route.for_guests else self._server.held).hold(holder)
        hold.add(len(response.body))
        return InPieces(response, hold=hold)

    async def _caller(self, request: Request, route: AnyRoute, visit: Visit, tally: Tally) -> Caller | None:
        """None for guests, and where anyone may ask; but no page of others may have a browser do so to change
        something.
        """
        callers = self._server.callers
        rates = self._server.rates
        if route.for_guests:
            rates.take_of_address(ByAddress.GUEST, visit.network, tally)
            line_of(request.scope).user = guests.SCHEME
            return None
        if route.deed is Deed.ENTER:
            if route.by_address is not None:
                rates.take_of_address(route.by_address, visit.network, tally)
            if route.body is not Nothing and callers.sites.is_foreign(request.headers):
                raise cross_site()
            return None
        caller = await callers.caller_of(request.scope, request.headers)
        line_of(request.scope).user = caller.user.name
        if route.counted:
            rates.take(Counted.REQUESTS, caller, tally)
        if route.also_counted is not None:
            rates.take(route.also_counted, caller, tally)
        return caller

    async def _answer_to_body(
        self, request: Request, route: AnyRoute, asked: Asked[Struct, Struct], holder: str
    ) -> object:
        """What is held of the body is held until there is an answer."""
        with ExitStack() as until_answered:
            if route.heavy is not None:
                until_answered.enter_context(asked.admitted(route.heavy))
            hold = until_answered.enter_context(self._server.held.hold(holder))
            count = _counting(route, asked, hold, until_answered)
            body = await self._body(request, route, hold, count)
            deeds = (*asked.deeds, *_named(route, body, asked.caller))
            return await route.handler(replace(asked, body=body, deeds=deeds))

    async def _body(
        self, request: Request, route: AnyRoute, hold: Hold, count: Callable[[int], None]
    ) -> Struct:
        if route.body is Upload:
            return await read_upload(request, route.body_bytes_max, count=count)
        larger = route.larger
        data = await read_body(
            request, larger.bytes_max if larger is not None else route.body_bytes_max, count=count
        )
        if route.body_optional and not data:
            empty: Struct = route.body()
            return empty
        # While it is decoded, it is there twice; and what comes of it is not smaller.
        hold.add(len(data))
        body: Struct = decoded(data, self._decoders[route.method], route.body)
        if larger is not None and len(data) > route.body_bytes_max and not larger.carries_it(body):
            raise too_large(route.body_bytes_max)
        return body


def _counting(
    route: AnyRoute, asked: Asked[Struct, Struct], hold: Hold, until_answered: ExitStack
) -> Callable[[int], None]:
    """What counts the pieces of a body as they come."""
    larger = route.larger
    if larger is None:
        return hold.add
    size = 0

    def count(piece_bytes: int) -> None:
        nonlocal size
        before, size = size, size + piece_bytes
        if before <= route.body_bytes_max < size:
            until_answered.enter_context(asked.admitted(larger.heavy))
        hold.add(piece_bytes)

    return count


def _deed(route: AnyRoute, request: Request) -> Deed:
    if not route.instead:
        return route.deed
    return next((route.instead[name] for name in request.query_params if name in route.instead), route.deed)


def _named(route: AnyRoute, given: Struct, caller: Caller | None) -> frozenset[Deed]:
    """The deeds of fields that have another value than if they had been left out. Raises Forbidden."""
    if not route.by_field or caller is None:
        return NO_DEEDS
    left_out = _left_out(type(given))
    named = frozenset(
        deed
        for name, deed in route.by_field.items()
        if name in left_out and getattr(given, name) != left_out[name]
    )
    check_at_door(caller, named)
    return named


@cache
def _left_out(type_: type[Struct]) -> Mapping[str, object]:
    """The value of each field that can be left out."""
    # Fields with defaults are the last ones.
    return dict(zip(reversed(type_.__struct_fields__), reversed(type_.__struct_defaults__), strict=False))


def check_deed(
    route_path: str, deed: Deed, by_field: Mapping[str, Deed] = NO_FIELDS, *, for_guests: bool = False
) -> None:
    """A path that names a chat has deeds that are done to a chat, and no other path has one, but those for
    guests: what they do, the table lets them.
    """
    of_chat = for_guests or "{chat_id}" in route_path
    for each in (deed, *by_field.values()):
        assert (each in CHAT_DEEDS) is of_chat, f"{each} is not a deed for {route_path}"
        is_of_guests = each in CHAT_DEEDS and CHAT_DEEDS[each].guest is not Cell.NO
        assert is_of_guests or not for_guests, f"{each} is not a deed of guests"


def _written(answer: object) -> tuple[bytes, Mapping[str, str] | None, str]:
    if isinstance(answer, Download):
        return answer.data, answer.headers, answer.media_type
    if isinstance(answer, WithHeaders):
        return encode(answer.answer), {**failures.JSON_HEADERS, **answer.headers}, "application/json"
    return encode(answer), failures.JSON_HEADERS, "application/json"
