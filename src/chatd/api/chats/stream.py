"""Streams: what happens, as it happens, over WebSocket or as Server-Sent Events.

Whatever can be refused is refused before the stream begins, as a plain answer. From then on a stream
ends in one of these ways, and its viewer may come back with the last cursor:

    1000    the chat was deleted, or the viewer left
    1008    the viewer may not watch any more; the last event is `access_ended`
    1011    something of ours broke
    1012    the server is going away, or the viewer is shown more or less than before
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
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import structlog
from msgspec import Meta, Struct
from msgspec.structs import replace
from starlette.datastructures import Headers, QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatd.accounts.relations import read_relation
from chatd.api import failures
from chatd.api.bodies import Nothing
from chatd.api.chats.frames import SSE_BEAT, SSE_PREAMBLE, sse_pieces, text_frames
from chatd.api.chats.lag import Lag
from chatd.api.chats.permitted import permitted
from chatd.api.router import Asked, Q, Server, check_deed
from chatd.api.serving.audited.refusals import refused_entry
from chatd.api.serving.callers.auth import Caller, visit_of
from chatd.api.serving.callers.permits import Seen, check_at_door, seen_by
from chatd.api.serving.intake import parameters
from chatd.api.serving.limits.rate import Tally
from chatd.api.serving.operating.canonical import line_of
from chatd.domain.ids import SECOND, ChatId, Micros
from chatd.domain.people.deeds import Deed
from chatd.domain.people.rates import Counted
from chatd.errors import BadInput, Refused, Unavailable
from chatd.kit.concurrency.bell import Bell
from chatd.live.cursor import CURSOR_LENGTH_MAX, known_at
from chatd.live.events import AccessEnded, Batch
from chatd.live.feed import FeedEvent, Missed, WatchEnded, watch_list
from chatd.live.kinds import with_queue
from chatd.live.streams import BEAT_SECONDS, StreamKind
from chatd.live.watch import watch
from chatd.storage.reads.read import read_chat

log = structlog.get_logger()

T = TypeVar("T")

SUBPROTOCOL = "chatd"
TOKEN_PREFIX = "chatd.token."  # noqa: S105 - what comes before a token
GONE = frozenset({"websocket.disconnect", "http.disconnect"})
EVENT_STREAM = "text/event-stream"

# How long we try to say goodbye.
FAREWELL_SECONDS = 1

NORMAL, REFUSED, BROKEN, GOING_AWAY = 1000, 1008, 1011, 1012
# How long a stream that is asked for waits for a database that is away, and how often it tries. Whoever lost
# theirs to an outage is there when it is over; one who was turned away would pause, longer each time.
OPENING_SECONDS = 15.0
OPENING_PAUSE_SECONDS = 0.5
# How long a caller who was let in may watch before we look again. A change of which we hear counts at once.
ADMITTED_SECONDS = 10.0
# The same when we could not look.
UNASKED_SECONDS = 1.0


class StreamQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cursor: Annotated[
        Annotated[str, Meta(max_length=CURSOR_LENGTH_MAX)] | None,
        Meta(description="Of the last event that was received: only what follows it is sent."),
    ] = None


Batches: TypeAlias = AsyncIterator[Batch]
# Raises Refused when the caller may not go on to watch, and OtherView when they are to be shown something
# else. `moved`: others may do something with the chat than when it was asked last. When to ask again at the
# latest; None: nothing that is known of ends by itself.
MayWatch: TypeAlias = Callable[[Caller, bool], Awaitable[Micros | None]]


class OtherView(Exception):
    """Who comes back is shown what they may see now."""


class Opened(Struct, frozen=True, kw_only=True):
    batches: Batches
    may_watch: MayWatch
    # What a viewer is told last who may not watch any more.
    farewell: Batch
    # The version of who may do what with it for which they were let in.
    access: int = 0
    until: Micros | None = None


@dataclass(frozen=True, slots=True)
class Stream(Generic[Q]):
    """A route whose answer does not end."""

    path: str
    open: Callable[[Asked[Q, Nothing], Bell], Awaitable[Opened]]
    summary: str
    deed: Deed
    query: type[Q]
    # The union of what it tells.
    events: Any

    @property
    def of(self) -> Literal["chat", "list"]:
        return "chat" if "{chat_id}" in self.path else "list"


AnyStream: TypeAlias = Stream[Any]


async def chat(asked: Asked[StreamQuery, Nothing], bell: Bell) -> Opened:
    seen = await permitted(asked)
    cursor = asked.query.cursor
    if cursor is not None and known_at(seen.chat.id, cursor) is None:
        raise _strange(cursor)
    live = asked.server.live
    shapes = with_queue(live.encoded.shapes(seen.view), shown=seen.shows_queue)
    watched = watch(
        asked.store, live.board, live.clock, seen.chat.id, cursor=cursor, bell=bell, shapes=shapes
    )
    return Opened(
        batches=watched,
        may_watch=_MayWatchChat(asked, seen).ask,
        farewell=Batch((AccessEnded(chat_id=seen.chat.id, cursor=""),)),
        access=seen.chat.versions.access,
        until=seen.related.until,
    )


class _MayWatchChat:
    """Whether a caller may go on to watch a chat as they do now."""

    def __init__(self, asked: Asked[StreamQuery, Nothing], seen: Seen) -> None:
        self._asked = asked
        self._seen = seen

    async def ask(self, caller: Caller, moved: bool) -> Micros | None:  # noqa: FBT001 - as in MayWatch
        db, policy = self._asked.store.db, self._asked.server.policy
        # Whose chat it is tells its row, which is read again only when it says that this may have changed.
        chat = await read_chat(db, self._seen.chat.id) if moved else self._seen.chat
        if chat is None:
            return None  # It is gone, which the stream tells by itself.
        related = await read_relation(db, caller.user, chat, policy)
        seen = seen_by(caller, self._asked.deeds, chat, related, policy)
        if (seen.view, seen.shows_queue) != (self._seen.view, self._seen.shows_queue):
            raise OtherView
        if seen.audited:
            # It may be open for hours.
            await self._asked.server.audited_reads.note_chat(self._asked.by, chat.id)
        self._seen = seen
        return related.until


async def list_(asked: Asked[StreamQuery, Nothing], bell: Bell) -> Opened:
    cursor = asked.query.cursor
    if cursor is not None and not (cursor.isascii() and cursor.isdecimal()):
        raise _strange(cursor)
    since = min(int(cursor), 2**62) if cursor is not None else None
    return Opened(
        batches=_batches(asked, since, bell), may_watch=_may_watch_lists, farewell=Batch((WatchEnded(),))
    )


async def _may_watch_lists(_: Caller, __: bool) -> None:  # noqa: FBT001 - as in MayWatch
    """A list holds what the caller may read."""


async def _batches(asked: Asked[StreamQuery, Nothing], since: int | None, bell: Bell) -> Batches:
    family = asked.known.standing.family
    async for events in watch_list(asked.store, asked.user.id, cursor=since, bell=bell):
        yield Batch(tuple(each for each in events if family is None or _is_of(each, family)))


def _is_of(event: FeedEvent, family: ChatId) -> bool:
    return isinstance(event, Missed | WatchEnded) or event.chat_id == family


@dataclass(frozen=True, slots=True)
class _StreamRequest:
    scope: Scope
    headers: Headers
    # What wakes its stream.
    bell: Bell
    tally: Tally = field(default_factory=Tally)


class StreamResource:
    """One stream's path, for both ways of reading it."""

    def __init__(self, server: Server, stream: AnyStream) -> None:
        check_deed(stream.path, stream.deed)
        self._server = server
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_socket = scope["type"] == "websocket"
        speak = _over_websocket if is_socket else _over_sse
        kind = StreamKind(self._stream.of, "websocket" if is_socket else "sse")
        with self._server.live.streams.open(kind) as bell:
            request = _StreamRequest(scope, _with_token(scope, Headers(scope=scope)), bell)
            tally = request.tally
            begun = await _or_answer(self._begun(request), scope)
            if isinstance(begun, Response):
                begun.raw_headers.extend(tally.headers)
                await begun(scope, receive, send)
                return
            opened, first = begun
            # Free it once it is sent: it may be large, and the stream goes on for hours.
            del begun
            admission = _Admission(self._server, request, self._stream.deed, opened)
            batches = opened.batches
            async with aclosing(batches):  # type: ignore[type-var]  # an async generator, for all we know
                talk = _Talk(self._server, scope, receive, send, bell, first, admission, tally)
                del first
                await speak(talk, batches)

    async def _begun(self, request: "_StreamRequest") -> tuple[Opened, list[Batch]]:
        """The stream, and what it tells first. A database that is away is waited for, for a while."""
        clock = self._server.live.clock
        until = clock.monotonic() + OPENING_SECONDS
        while True:
            try:
                opened = await self._opened(request)
                # Read before the stream begins: what goes wrong is still a plain answer.
                return opened, [await anext(opened.batches)]
            except Unavailable:
                if request.bell.over or clock.monotonic() >= until:
                    raise
            await clock.sleep(OPENING_PAUSE_SECONDS)

    async def _opened(self, request: "_StreamRequest") -> Opened:
        scope, headers, bell, tally = request.scope, request.headers, request.bell, request.tally
        line = line_of(scope)
        line.route = self._stream.path
        if scope["type"] == "http":
            _check_http(scope["method"], headers)
        caller = await self._server.callers.caller_of(scope, headers)
        line.user = caller.user.name
        # Once, however often it is tried.
        for counted in (Counted.REQUESTS, Counted.STREAMS) if tally.left is None else ():
            self._server.rates.take(counted, caller, tally)
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
        try:
            check_at_door(caller, (self._stream.deed,))
            opened = await self._stream.open(asked, bell)
        except failures.Forbidden as error:
            chat_id = asked.path.get("chat_id")
            refused = refused_entry(self._stream.deed, self._stream.path, chat_id, error.code)
            await self._server.refusals.note(asked.by, refused)
            raise
        ends = [end for end in (opened.until, caller.expires_at) if end is not None]
        return replace(opened, until=min(ends, default=None))


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
    OTHER_VIEW = auto()


# How a stream is closed that ended so.
CLOSED_WITH = {Ending.REFUSED: REFUSED, Ending.OTHER_VIEW: GOING_AWAY}


class _Admission:
    """Whether the caller of a stream may still watch: asked again now and then, when something that they may
    ends by itself, and after each change of which we hear or read.
    """

    def __init__(self, server: Server, request: "_StreamRequest", deed: Deed, opened: Opened) -> None:
        self.farewell = opened.farewell
        self._may_watch = opened.may_watch
        self._callers, self._clock = server.callers, server.live.clock
        self._streams = server.live.streams
        self._scope, self._headers = request.scope, request.headers
        self._bell = request.bell
        self._deed = deed
        self._access = opened.access
        self._changes = self._streams.changes
        self._ask_until(opened.until)

    def _ask_until(self, *ends: Micros | None, seconds: float = ADMITTED_SECONDS) -> None:
        now = self._clock.now_micros()
        left = [max(0, end - now) / SECOND for end in ends if end is not None]
        self._until = self._clock.monotonic() + min([seconds, *left])
        self._streams.ask_at(self._bell, self._until)

    def _is_recent(self) -> bool:
        return self._changes == self._streams.changes and self._clock.monotonic() < self._until

    async def ending(self, batch: Batch) -> Ending | None:
        """Why this must not be told; None: it may be."""
        moved = batch.access not in (0, self._access)
        if self._is_recent() and not moved:
            return None
        # Before we look: what changes meanwhile is looked at again.
        self._changes = self._streams.changes
        try:
            caller = await self._callers.caller_of(self._scope, self._headers)
            check_at_door(caller, (self._deed,))
            until = await self._may_watch(caller, moved)
        except Refused:
            return Ending.REFUSED
        except OtherView:
            return Ending.OTHER_VIEW
        except Unavailable:
            # We cannot look now. They were let in a moment ago; but what moved is not told unasked.
            self._ask_until(seconds=UNASKED_SECONDS)
            return Ending.OTHER_VIEW if moved else None
        self._access = batch.access or self._access
        self._ask_until(until, caller.expires_at)
        return None


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

    async def through(self, batches: Batches, tell: Callable[[Batch], Awaitable[None]]) -> int:
        """Tell everything until it ends; how it ended."""
        async with asyncio.TaskGroup() as group:
            gone = group.create_task(self.until_gone(), name="notice that a viewer left")
            try:
                ending = await self._tell_all(batches, tell)
                if ending is Ending.REFUSED:
                    await tell(self.admission.farewell)
                if ending in CLOSED_WITH:
                    return CLOSED_WITH[ending]
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

    async def _tell_all(self, batches: Batches, tell: Callable[[Batch], Awaitable[None]]) -> Ending:
        # What it tells may have been shared and taken back since they were let in.
        if (ending := await self.admission.ending(self.first[0])) is not None:
            return ending
        await tell(self.first.pop())
        async for batch in batches:
            if (ending := await self.admission.ending(batch)) is not None:
                return ending
            if batch or self.scope["type"] == "http":
                await tell(batch)
                if batch:
                    # By the clock of the bell.
                    self.lag.note(self.bell.heard_at, time.monotonic())
            del batch
        return Ending.NOTHING_MORE


async def _over_websocket(talk: _Talk, batches: Batches) -> None:
    async def tell(batch: Batch) -> None:
        for frame in text_frames(batch):
            await talk.send({"type": "websocket.send", "text": frame})

    offered = talk.scope.get("subprotocols", [])
    # Never one of theirs: it may be the token.
    chosen = SUBPROTOCOL if SUBPROTOCOL in offered else None
    accept = {"type": "websocket.accept", "subprotocol": chosen, "headers": talk.tally.headers}
    await talk.send(accept)
    code = await talk.through(batches, tell)
    if not talk.bell.over or talk.server.live.streams.ended:
        await _quietly(talk.send({"type": "websocket.close", "code": code}))


async def _over_sse(talk: _Talk, batches: Batches) -> None:
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
    await talk.through(batches, tell)
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
