"""One stream's path: who asks, what they may watch, and what they are told first."""

from collections.abc import Awaitable
from contextlib import ExitStack, aclosing
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import structlog
from starlette.datastructures import Headers, QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatd.api import failures
from chatd.api.bodies import Nothing
from chatd.api.chats.streams.admission import Admission
from chatd.api.chats.streams.heard import Heard
from chatd.api.chats.streams.sse import check_http, over_sse
from chatd.api.chats.streams.stream import AnyStream, Opened, StreamRequest
from chatd.api.chats.streams.talk import Talk
from chatd.api.chats.streams.websocket import over_websocket, with_shown
from chatd.api.router import Asked, Server
from chatd.api.serving.audited.refusals import refused_entry
from chatd.api.serving.callers import guests
from chatd.api.serving.callers.auth import Caller, visit_of
from chatd.api.serving.callers.permits import check_at_door
from chatd.api.serving.connections.strangers import is_known
from chatd.api.serving.intake import parameters
from chatd.api.serving.limits.rates import ByAddress
from chatd.api.serving.operating.canonical import line_of
from chatd.domain.people.rates import Counted
from chatd.errors import Refused, Unavailable
from chatd.live.cursor import CURSOR_LENGTH_MAX
from chatd.live.events import Batch
from chatd.live.streams import StreamKind

log = structlog.get_logger()

T = TypeVar("T")

# How long a stream that is asked for waits for a database that is away, and how often it tries. Whoever lost
# theirs to an outage is there when it is over; one who was turned away would pause, longer each time.
OPENING_SECONDS = 15.0
OPENING_PAUSE_SECONDS = 0.5


class StreamResource:
    """One stream's path, for both ways of reading it."""

    def __init__(self, server: Server, stream: AnyStream) -> None:
        self._server = server
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_socket = scope["type"] == "websocket"
        speak = over_websocket if is_socket else over_sse
        kind = StreamKind(self._stream.of, "websocket" if is_socket else "sse")
        with self._server.live.streams.open(kind) as bell, ExitStack() as held:
            headers = with_shown(scope, Headers(scope=scope))
            request = StreamRequest(scope, headers, bell, partial(self._caller, scope, headers), held=held)
            changes = self._server.live.streams.changes
            begun = await _or_answer(self._begun(request), scope)
            told = (*request.tally.headers, *(guests.HEADERS if self._stream.for_guests else ()))
            if isinstance(begun, Response):
                begun.raw_headers.extend(told)
                await begun(scope, receive, send)
                return
            opened, first = begun
            # Free it once it is sent: it may be large, and the stream goes on for hours.
            del begun
            admission = Admission(self._server.live, bell, opened, changes=changes)
            batches = opened.batches
            async with aclosing(batches):  # type: ignore[type-var]  # an async generator, for all we know
                heard = Heard(self._server.live.clock.monotonic)
                talk = Talk(self._server, scope, receive, send, bell, first, admission, told, heard)
                del first
                await speak(talk, batches)

    async def _begun(self, request: StreamRequest) -> tuple[Opened, list[Batch]]:
        """The stream, and what it tells first. A database that is away is waited for, for a while.

        Whose it is can mostly not be looked up meanwhile, so only some are held.
        """
        clock = self._server.live.clock
        until = clock.monotonic() + OPENING_SECONDS
        network = visit_of(request.scope, request.headers, self._server.callers.sites).network
        with self._server.waiting.place(network) as place:
            while True:
                try:
                    opened = await self._opened(request)
                    # Read before the stream begins: what goes wrong is still a plain answer.
                    return opened, [await anext(opened.batches)]
                except Unavailable:
                    # It is counted anew when it is opened.
                    request.held.close()
                    if request.bell.over or clock.monotonic() >= until or not place.take():
                        raise
                await clock.sleep(OPENING_PAUSE_SECONDS)

    async def _caller(self, scope: Scope, headers: Headers) -> Caller:
        caller = await self._server.callers.caller_of(scope, headers)
        check_at_door(caller, (self._stream.deed,))
        return caller

    async def _opened(self, request: StreamRequest) -> Opened:
        scope, headers = request.scope, request.headers
        line_of(scope).route = self._stream.path
        if scope["type"] == "http":
            check_http(scope["method"], headers)
        asked: Asked[Any, Nothing] = Asked(
            server=self._server,
            path=scope["path_params"],
            query=Nothing(),
            body=Nothing(),
            visit=visit_of(scope, headers, self._server.callers.sites),
            caller=None,
            deeds=(self._stream.deed,),
            tally=request.tally,
        )
        if self._stream.for_guests:
            return await self._opened_by_guest(asked, request)
        return await self._opened_by_user(asked, request)

    async def _opened_by_guest(self, asked: Asked[Any, Nothing], request: StreamRequest) -> Opened:
        line_of(request.scope).user = guests.SCHEME
        if request.tally.left is None:
            # Once, however often it is tried.
            self._server.rates.take_of_address(ByAddress.GUEST, asked.visit.network, request.tally)
        code_hash = guests.code_hash_in(request.scope, request.headers, self._server.callers.sites)
        asked = replace(asked, query=self._query(request), code_hash=code_hash)
        opened = await self._stream.open(asked, request)
        # How many streams guests have open is bounded by itself.
        is_known(request.scope)
        return opened

    async def _opened_by_user(self, asked: Asked[Any, Nothing], request: StreamRequest) -> Opened:
        caller = await self._server.callers.caller_of(request.scope, request.headers)
        is_known(request.scope)
        line_of(request.scope).user = caller.user.name
        for counted in (Counted.REQUESTS, Counted.STREAMS) if request.tally.left is None else ():
            self._server.rates.take(counted, caller, request.tally)
        request.held.enter_context(self._server.rates.stream_open(caller))
        self._server.live.streams.concern(request.bell, caller.parties)
        query = self._query(request)
        if query.cursor is None and (last := request.headers.get("last-event-id")):
            query = self._stream.query(cursor=last[:CURSOR_LENGTH_MAX])
        asked = replace(asked, query=query, caller=caller)
        try:
            check_at_door(caller, (self._stream.deed,))
            return await self._stream.open(asked, request)
        except failures.Forbidden as error:
            chat_id = asked.path.get("chat_id")
            refused = refused_entry(self._stream.deed, self._stream.path, chat_id, error.code)
            await self._server.refusals.note(asked.by, refused)
            raise

    def _query(self, request: StreamRequest) -> Any:
        return parameters(QueryParams(request.scope["query_string"]), self._stream.query)


async def _or_answer(wanted: Awaitable[T], scope: Scope) -> T | Response:
    """What is wanted, or what to answer when it could not be had."""
    try:
        return await wanted
    except (Refused, Unavailable) as error:
        return failures.refusal(error)
    except Exception:
        request_id = line_of(scope).request_id
        log.exception("stream.failed", request_id=request_id)
        return failures.breakdown(request_id)
