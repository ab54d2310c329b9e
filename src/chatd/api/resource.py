"""What can be done at one path, for every request alike: who asks, limits, shapes, errors, and the answer."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from typing import Any

import structlog
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatd.api import failures
from chatd.api.bodies import Nothing
from chatd.api.router import AnyRoute, Asked, B, Download, Redirect, Server, Streamed, WithHeaders
from chatd.api.serving.assets import Asset, form_for
from chatd.api.serving.audited.refusals import refused_entry
from chatd.api.serving.callers import guests
from chatd.api.serving.callers.auth import Caller, Visit, asked_by, cross_site, visit_of
from chatd.api.serving.callers.permits import check_at_door
from chatd.api.serving.connections.strangers import is_known
from chatd.api.serving.intake import decoded, parameters, read_body, too_large
from chatd.api.serving.limits.admission import Hold
from chatd.api.serving.limits.rate import Tally
from chatd.api.serving.limits.rates import ByAddress
from chatd.api.serving.operating.canonical import line_of
from chatd.api.serving.pieces import PIECE_BYTES, AsMade, InPieces
from chatd.api.serving.uploads import Upload, read_upload
from chatd.domain.people.deeds import Deed
from chatd.domain.people.rates import Counted
from chatd.errors import Refused, Unavailable
from chatd.kit.codec import Decoder, encode

log = structlog.get_logger()


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
        is_known(request.scope)
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
        return frozenset()
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


def _written(answer: object) -> tuple[bytes, Mapping[str, str] | None, str]:
    if isinstance(answer, Download):
        return answer.data, answer.headers, answer.media_type
    if isinstance(answer, WithHeaders):
        return encode(answer.answer), {**failures.JSON_HEADERS, **answer.headers}, "application/json"
    return encode(answer), failures.JSON_HEADERS, "application/json"
