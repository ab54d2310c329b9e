"""Streams: what happens, as it happens, over WebSocket or as Server-Sent Events.

Whatever can be refused is refused before the stream begins, as a plain answer. From then on a stream
ends in one of these ways, and its viewer may come back with the last cursor:

    1000    the chat was deleted, or the viewer left
    1008    the viewer was signed out, or their token withdrawn
    1011    something of ours broke
    1012    the server is going away
    (none)  the viewer did not take what was sent in time

A browser cannot set headers on a WebSocket: it may offer its token as the subprotocol
`chatd.token.TOKEN`, beside `chatd`. Never in the address: addresses end up in logs.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import structlog
from msgspec import Meta, Struct
from starlette.datastructures import Headers, QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatd.api import failures
from chatd.api.bodies import Nothing
from chatd.api.chats.chats import permitted_chat
from chatd.api.chats.frames import SSE_BEAT, SSE_PREAMBLE, sse_pieces, text_frames
from chatd.api.chats.lag import Lag
from chatd.api.router import Asked, Q, Server, check_deed
from chatd.api.serving.auth import Caller, visit_of
from chatd.api.serving.canonical import line_of
from chatd.api.serving.intake import parameters
from chatd.api.serving.permits import check_at_door, check_with_chat, view_for
from chatd.api.serving.rate import Tally
from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import Deed
from chatd.domain.people.rates import Counted
from chatd.errors import BadInput, Refused, Unavailable
from chatd.kit.concurrency.bell import Bell
from chatd.live.cursor import CURSOR_LENGTH_MAX, known_at
from chatd.live.events import Batch
from chatd.live.feed import FeedEvent, Missed, watch_list
from chatd.live.streams import BEAT_SECONDS
from chatd.live.watch import watch

log = structlog.get_logger()

T = TypeVar("T")

SUBPROTOCOL = "chatd"
TOKEN_PREFIX = "chatd.token."  # noqa: S105 - what comes before a token
GONE = frozenset({"websocket.disconnect", "http.disconnect"})
EVENT_STREAM = "text/event-stream"

# How long we try to say goodbye.
FAREWELL_SECONDS = 1

NORMAL, REFUSED, BROKEN, GOING_AWAY = 1000, 1008, 1011, 1012
# How long a caller who was let in may watch before we look again. A change of which we hear counts at once.
ADMITTED_SECONDS = 10.0


class StreamQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cursor: Annotated[
        Annotated[str, Meta(max_length=CURSOR_LENGTH_MAX)] | None,
        Meta(description="Of the last event that was received: only what follows it is sent."),
    ] = None


Opened: TypeAlias = AsyncIterator[Batch]
# Raises Refused when the caller may not go on to watch.
MayWatch: TypeAlias = Callable[[Caller], None]


@dataclass(frozen=True, slots=True)
class Stream(Generic[Q]):
    """A route whose answer does not end."""

    path: str
    open: Callable[[Asked[Q, Nothing], Bell], Awaitable[tuple[Opened, MayWatch]]]
    summary: str
    deed: Deed
    query: type[Q]
    # The union of what it tells.
    events: Any


AnyStream: TypeAlias = Stream[Any]


async def chat(asked: Asked[StreamQuery, Nothing], bell: Bell) -> tuple[Opened, MayWatch]:
    found = await permitted_chat(asked)
    cursor = asked.query.cursor
    if cursor is not None and known_at(found.id, cursor) is None:
        raise _strange(cursor)
    live = asked.server.live
    shapes = live.encoded.shapes(view_for(asked.known, found))

    def may_watch(caller: Caller) -> None:
        # A chat keeps its owner, so it need not be read again.
        check_with_chat(caller, asked.deeds, found)

    watched = watch(asked.store, live.board, live.clock, found.id, cursor=cursor, bell=bell, shapes=shapes)
    return watched, may_watch


async def list_(asked: Asked[StreamQuery, Nothing], bell: Bell) -> tuple[Opened, MayWatch]:
    cursor = asked.query.cursor
    if cursor is not None and not (cursor.isascii() and cursor.isdecimal()):
        raise _strange(cursor)
    since = min(int(cursor), 2**62) if cursor is not None else None
    return _batches(asked, since, bell), _may_watch_lists


def _may_watch_lists(_: Caller) -> None:
    """A list holds what the caller may read."""


async def _batches(asked: Asked[StreamQuery, Nothing], since: int | None, bell: Bell) -> Opened:
    family = asked.known.standing.family
    async for events in watch_list(asked.store, asked.user.id, cursor=since, bell=bell):
        yield Batch(tuple(each for each in events if family is None or _is_of(each, family)))


def _is_of(event: FeedEvent, family: ChatId) -> bool:
    return isinstance(event, Missed) or event.chat_id == family


class StreamResource:
    """One stream's path, for both ways of reading it."""

    def __init__(self, server: Server, stream: AnyStream) -> None:
        check_deed(stream.path, stream.deed)
        self._server = server
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        speak = _over_websocket if scope["type"] == "websocket" else _over_sse
        with self._server.live.streams.open() as bell:
            headers = _with_token(scope, Headers(scope=scope))
            admission = _Admission(self._server, scope, headers, self._stream.deed)
            tally = Tally()
            opened = await _or_answer(self._opened(scope, headers, bell, admission, tally), scope)
            if isinstance(opened, Response):
                opened.raw_headers.extend(tally.headers)
                await opened(scope, receive, send)
                return
            async with aclosing(opened):  # type: ignore[type-var]  # an async generator, for all we know
                # Read before the stream begins: what goes wrong is still a plain answer.
                first = await _or_answer(anext(opened), scope)
                if isinstance(first, Response):
                    first.raw_headers.extend(tally.headers)
                    await first(scope, receive, send)
                else:
                    talk = _Talk(self._server, scope, receive, send, bell, [first], admission, tally)
                    # Free it once it is sent: it may be large, and the stream goes on for hours.
                    del first
                    await speak(talk, opened)

    async def _opened(
        self, scope: Scope, headers: Headers, bell: Bell, admission: "_Admission", tally: Tally
    ) -> Opened:
        line = line_of(scope)
        line.route = self._stream.path
        if scope["type"] == "http":
            _check_http(scope["method"], headers)
        caller = await self._server.callers.caller_of(scope, headers)
        line.user = caller.user.name
        for counted in (Counted.REQUESTS, Counted.STREAMS):
            self._server.rates.take(counted, caller, tally)
        check_at_door(caller, (self._stream.deed,))
        query = parameters(QueryParams(scope["query_string"]), self._stream.query)
        if query.cursor is None and (last := headers.get("last-event-id")):
            query = self._stream.query(cursor=last[:CURSOR_LENGTH_MAX])
        asked = Asked(
            server=self._server,
            path=scope["path_params"],
            query=query,
            body=Nothing(),
            visit=visit_of(scope, headers, self._server.callers.sites),
            caller=caller,
            deeds=(self._stream.deed,),
            tally=tally,
        )
        opened, admission.may_watch = await self._stream.open(asked, bell)
        return opened


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


class Ending(Enum):
    NOTHING_MORE = auto()
    REFUSED = auto()


class _Admission:
    """Whether the caller of a stream may still watch: asked again now and then, and after each withdrawal."""

    def __init__(self, server: Server, scope: Scope, headers: Headers, deed: Deed) -> None:
        self.may_watch: MayWatch = _may_watch_lists
        self._callers, self._clock = server.callers, server.live.clock
        self._streams = server.live.streams
        self._scope, self._headers = scope, headers
        self._deed = deed
        self._count()

    def _count(self) -> None:
        self._changes = self._streams.changes
        self._until = self._clock.monotonic() + ADMITTED_SECONDS

    @property
    def is_recent(self) -> bool:
        return self._changes == self._streams.changes and self._clock.monotonic() < self._until

    async def has_ended(self) -> bool:
        self._count()
        try:
            caller = await self._callers.caller_of(self._scope, self._headers)
            check_at_door(caller, (self._deed,))
            self.may_watch(caller)
        except Refused:
            return True
        except Unavailable:
            pass  # We cannot look now, and they were let in a moment ago.
        return False


@dataclass(frozen=True, slots=True)
class _Talk:
    """One connection."""

    server: Server
    scope: Scope
    receive: Receive
    send: Send
    bell: Bell
    # What was read before the stream began, until it is told.
    first: list[Batch]
    admission: _Admission
    tally: Tally
    lag: Lag = field(default_factory=Lag)

    async def until_gone(self) -> None:
        """What viewers send is not listened to; only that they leave."""
        while (await self.receive())["type"] not in GONE:
            pass
        self.bell.end()

    async def through(self, opened: Opened, tell: Callable[[Batch], Awaitable[None]]) -> int:
        """Tell everything until it ends; how it ended."""
        async with asyncio.TaskGroup() as group:
            gone = group.create_task(self.until_gone(), name="notice that a viewer left")
            try:
                if await self._tell_all(opened, tell) is Ending.REFUSED:
                    return REFUSED
            except OSError:
                # They left, or were disconnected because they did not read.
                self.bell.end()
                return NORMAL
            except Exception:
                log.exception("stream.failed", request_id=line_of(self.scope).request_id)
                return BROKEN
            finally:
                self.lag.count()
                gone.cancel()
        return GOING_AWAY if self.server.live.streams.ended else NORMAL

    async def _tell_all(self, opened: Opened, tell: Callable[[Batch], Awaitable[None]]) -> Ending:
        await tell(self.first.pop())
        async for batch in opened:
            if not self.admission.is_recent and await self.admission.has_ended():
                return Ending.REFUSED
            if batch or self.scope["type"] == "http":
                await tell(batch)
                if batch:
                    # By the clock of the bell.
                    self.lag.note(self.bell.heard_at, time.monotonic())
            del batch
        return Ending.NOTHING_MORE


async def _over_websocket(talk: _Talk, opened: Opened) -> None:
    async def tell(batch: Batch) -> None:
        for frame in text_frames(batch):
            await talk.send({"type": "websocket.send", "text": frame})

    offered = talk.scope.get("subprotocols", [])
    # Never one of theirs: it may be the token.
    chosen = SUBPROTOCOL if SUBPROTOCOL in offered else None
    accept = {"type": "websocket.accept", "subprotocol": chosen, "headers": talk.tally.headers}
    await talk.send(accept)
    code = await talk.through(opened, tell)
    if not talk.bell.over or talk.server.live.streams.ended:
        await _quietly(talk.send({"type": "websocket.close", "code": code}))


async def _over_sse(talk: _Talk, opened: Opened) -> None:
    clock = talk.server.live.clock
    told_at = clock.monotonic()

    async def tell(batch: Batch) -> None:
        nonlocal told_at
        now = clock.monotonic()
        if batch:
            for piece in sse_pieces(batch):
                await body(piece)
        elif now - told_at >= BEAT_SECONDS:
            await body(SSE_BEAT)
        else:
            return
        told_at = now

    async def body(data: bytes, *, more: bool = True) -> None:
        await talk.send({"type": "http.response.body", "body": data, "more_body": more})

    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        # Proxies that would collect an answer before they pass it on are asked not to.
        (b"x-accel-buffering", b"no"),
        *talk.tally.headers,
    ]
    await talk.send({"type": "http.response.start", "status": 200, "headers": headers})
    await body(SSE_PREAMBLE)
    await talk.through(opened, tell)
    await _quietly(body(b"", more=False))


async def _quietly(sending: Awaitable[None]) -> None:
    try:
        async with asyncio.timeout(FAREWELL_SECONDS):
            await sending
    except (OSError, TimeoutError):
        pass  # They are gone already.


def _check_http(method: str, headers: Headers) -> None:
    if method != "GET":
        raise failures.WrongMethod(method, ("GET",))
    accepted = headers.get("accept", "*/*")
    if not any(each in accepted for each in (EVENT_STREAM, "text/*", "*/*")):
        raise BadInput(
            "not_acceptable",
            "This is a stream.",
            field="accept",
            hint=f"Connect with a WebSocket, or send the header `Accept: {EVENT_STREAM}`.",
        )


def _with_token(scope: Scope, headers: Headers) -> Headers:
    """The headers, with the token that a browser offers as a subprotocol."""
    if "authorization" in headers:
        return headers
    tokens = [each for each in scope.get("subprotocols", []) if each.startswith(TOKEN_PREFIX)]
    if not tokens:
        return headers
    bearer = f"Bearer {tokens[0].removeprefix(TOKEN_PREFIX)}"
    return Headers(raw=[*headers.raw, (b"authorization", bearer.encode("latin-1", "replace"))])


def _strange(cursor: str) -> BadInput:
    return BadInput(
        "bad_cursor",
        f"The cursor {cursor[:80]!r} does not come from this stream.",
        field="cursor",
        hint="Use the cursor of the last event, unchanged, or leave it out to start again.",
    )
