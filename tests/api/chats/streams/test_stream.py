"""Streams over real sockets: WebSocket and Server-Sent Events."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from msgspec import Struct

from chatd.accounts.lives.lives import UserChange, change_user, suspend_user
from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.chats.streams.admission import ADMITTED_SECONDS
from chatd.api.chats.streams.heard import BYTES_MAX, MESSAGES_MAX, WINDOW_SECONDS
from chatd.api.chats.streams.resource import OPENING_PAUSE_SECONDS, OPENING_SECONDS
from chatd.api.chats.streams.talk import GOING_AWAY, NORMAL, REFUSED
from chatd.api.serving.connections.server import address_of, bound, serve_http
from chatd.api.serving.connections.websocket import FRAGMENTS_MAX
from chatd.api.serving.limits.admission import REQUEST_LIMITS, RequestLimits
from chatd.domain.decision.change import Details
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.errors import Unavailable
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.live.live import Live
from chatd.live.streams import BEAT_SECONDS
from chatd.storage.database import Body, Pace, T
from chatd.storage.reads.read import list_messages
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.api.client import Client
from tests.clock import MovedClock
from tests.live.listening import CHAT, say, types
from tests.traceability import proves
from tests.words import create, says, step, user

STREAM = f"/api/v1/chats/{CHAT}/stream"
WATCH = "/api/v1/chats/watch"


class Site(Struct, frozen=True):
    """A server, a caller with the owner's token, and a way to stop it."""

    store: Store
    live: Live
    session: aiohttp.ClientSession
    token: str
    stop: asyncio.Event

    async def until_no_viewer_watches(self) -> None:
        while self.live.streams._bells:
            await self.a_while()

    async def a_while(self) -> None:
        """Time for everything that can go on."""
        async with self.session.get("/healthz"):
            pass

    async def status(self) -> int:
        """What a stream is answered with."""
        async with self.events() as answer:
            return int(answer.status)

    def stream(self, **query: str) -> Any:
        return self.session.ws_connect(STREAM, params=query)

    def events(self, path: str = STREAM, *, headers: dict[str, str] | None = None, **query: str) -> Any:
        return self.session.get(
            path, params=query, headers={"Accept": "text/event-stream", **(headers or {})}
        )


@pytest.fixture
def live(store: Store, clock: MovedClock) -> Live:
    return Live(store, clock)


@pytest.fixture
async def site(store: Store, live: Live, owner: UserId) -> AsyncIterator[Site]:
    async with _serving(store, live, await create_token(store.db, owner, "test")) as site:
        yield site


@asynccontextmanager
async def _serving(
    store: Store, live: Live, token: str, limits: RequestLimits = REQUEST_LIMITS
) -> AsyncIterator[Site]:
    stop, listening = asyncio.Event(), asyncio.Event()
    with bound("127.0.0.1", 0) as listener:
        async with asyncio.TaskGroup() as group:
            app = build(store, live, limits=limits, now_seconds=live.clock.monotonic)
            server = serve_http(app, listener, stop=stop, ready=listening.set, end_streams=live.streams.end)
            group.create_task(server)
            await listening.wait()
            headers = {"Authorization": f"Bearer {token}"}
            async with aiohttp.ClientSession(address_of("127.0.0.1", listener), headers=headers) as session:
                yield Site(store, live, session, token, stop)
            stop.set()


@pytest.fixture
async def history(store: Store) -> int:
    await create_chat(store, create(user("hello")))
    return (await transact(store, CHAT, BeginAttempt())).chat.versions.history


async def frame(socket: Any) -> Any:
    message = await socket.receive()
    assert message.type is aiohttp.WSMsgType.TEXT, message
    return json.loads(message.data)


async def is_cut_off(socket: Any) -> None:
    """Nothing comes but that they may not watch any more."""
    assert types(await frame(socket)) == ["access_ended"]
    ended = await socket.receive()
    assert (ended.type, ended.data) == (aiohttp.WSMsgType.CLOSE, REFUSED)


async def block(answer: aiohttp.ClientResponse) -> dict[str, str]:
    """The next block of an event stream; a comment has the name ''."""
    fields: dict[str, str] = {}
    while line := (await answer.content.readline()).decode().rstrip("\n"):
        name, _, value = line.partition(": ")
        assert name not in fields
        fields[name] = value
    return fields


async def blocks(answer: aiohttp.ClientResponse, count: int) -> list[dict[str, str]]:
    return [await block(answer) for _ in range(count)]


async def test_a_websocket_tells_what_is_there_and_what_happens(site: Site, history: int) -> None:
    async with site.stream() as socket:
        assert types(await frame(socket)) == ["chat", "message", "status", "preview_reset"]

        say(site.live.board, "one two three", history=history)
        assert types(await frame(socket)) == ["message_part"] * 3

        await transact(site.store, CHAT, step(says("one two three")))
        assert types(await frame(socket)) == ["message", "preview_reset"]


async def test_an_event_stream_tells_the_same(site: Site, history: int) -> None:
    async with site.events() as answer:
        assert answer.content_type == "text/event-stream"
        assert await block(answer) == {"retry": "1000"}
        first = await blocks(answer, 4)
        assert [each["event"] for each in first] == ["chat", "message", "status", "preview_reset"]

        say(site.live.board, "one two", history=history)
        parts = await blocks(answer, 2)

    assert [json.loads(each["data"])["part"]["text"] for each in parts] == ["one", "two"]
    assert all(each["id"] == json.loads(each["data"])["cursor"] for each in first + parts)
    assert all(each["event"] == json.loads(each["data"])["type"] for each in first + parts)


async def test_a_websocket_comes_back_with_its_cursor(site: Site, history: int) -> None:
    say(site.live.board, "one two", history=history)
    async with site.stream() as socket:
        cursor = (await frame(socket))[-1]["cursor"]
    say(site.live.board, "three", history=history)

    async with site.stream(cursor=cursor) as socket:
        (event,) = await frame(socket)
    assert (event["seq"], event["part"]["text"]) == (3, "three")


async def test_an_event_stream_comes_back_with_the_last_id(site: Site, history: int) -> None:
    say(site.live.board, "one two three", history=history)
    async with site.events() as answer:
        seen = (await blocks(answer, 1 + 4 + 2))[-1]
    async with site.events(headers={"Last-Event-ID": seen["id"]}) as answer:
        _, event = await blocks(answer, 2)
    assert json.loads(event["data"])["part"]["text"] == "three"


async def test_a_quiet_event_stream_shows_that_it_lives(site: Site, history: int, clock: MovedClock) -> None:
    async with site.events() as answer:
        await blocks(answer, 5)
        site.live.streams.beat()
        await clock.advance(BEAT_SECONDS)
        site.live.streams.beat()
        assert await block(answer) == {"": "still here"}


@pytest.mark.parametrize(
    ("subprotocols", "accepted"),
    [(["chatd", "TOKEN"], "chatd"), (["TOKEN", "chatd"], "chatd"), (["TOKEN"], None), (["x", "TOKEN"], None)],
)
async def test_a_browser_brings_its_token_as_a_subprotocol_and_never_gets_it_back(
    site: Site, history: int, subprotocols: list[str], accepted: str | None
) -> None:
    offered = [each.replace("TOKEN", f"chatd.token.{site.token}") for each in subprotocols]
    address = site.session._build_url(STREAM)
    async with (
        aiohttp.ClientSession() as anonymous,
        anonymous.ws_connect(address, protocols=offered) as socket,
    ):
        assert socket.protocol == accepted
        assert site.token not in str(socket._response.headers)
        assert types(await frame(socket))[0] == "chat"


@proves("streaming", 42)
async def test_what_is_refused_is_refused_before_the_stream_begins(site: Site, history: int) -> None:
    async def refusal(path: str, way: dict[str, str], token: str = site.token) -> tuple[int, str]:
        headers = {**way, "Authorization": f"Bearer {token}"}
        async with site.session.get(path, headers=headers) as answer:
            return answer.status, (await answer.json())["error"]["code"]

    websocket = {
        "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    stranger = await create_user(site.store.db, "stranger", UserRole.MEMBER)
    strange = await create_token(site.store.db, stranger.id, "test")
    for way in (websocket, {"Accept": "text/event-stream"}):
        assert await refusal("/api/v1/chats/none/stream", way) == (404, "chat_not_found")
        assert await refusal(STREAM, way, strange) == (404, "chat_not_found")
        assert await refusal(STREAM, way, "wrong") == (401, "unauthenticated")
        assert await refusal(STREAM + "?cursor=wrong", way) == (400, "bad_cursor")
        assert await refusal(WATCH + "?cursor=wrong", way) == (400, "bad_cursor")
        assert await refusal(STREAM + "?token=x", way) == (400, "unknown_parameter")
    assert await refusal(STREAM, {"Accept": "application/json"}) == (400, "not_acceptable")
    async with site.session.post(STREAM) as answer:
        assert answer.status == 405


async def test_a_database_that_fails_before_the_stream_begins_is_an_answer_as_everywhere(
    store: Store, live: Live
) -> None:
    class Broken:
        engine = store.db.engine

        async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
            raise OSError("the disk is gone")

        read = write

    answer = await Client(build(Store(Broken(), store.hints), live), "token").get(STREAM)

    assert answer.status == 500
    assert answer.error["code"] == "internal_error"


class Restarting:
    """A database that is away, and counts how often it is asked meanwhile."""

    def __init__(self, store: Store) -> None:
        self.engine = store.db.engine
        self._db = store.db
        self.is_away = True
        self.asked = 0

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self._look()
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self._look()
        return await self._db.read(body, pace=pace)

    def _look(self) -> None:
        self.asked += 1
        if self.is_away:
            raise Unavailable("the database restarts")


@pytest.fixture
async def restarting(store: Store, live: Live, owner: UserId) -> AsyncIterator[tuple[Site, Restarting]]:
    restarting = Restarting(store)
    token = await create_token(store.db, owner, "test")
    away = Store(restarting, store.hints)
    limits = RequestLimits(waiting_max=3, waiting_per_address_max=2)
    async with _serving(away, live, token, limits) as site:
        yield site, restarting


async def test_a_stream_that_is_asked_for_while_the_database_restarts_begins_when_it_is_back(
    restarting: tuple[Site, Restarting], clock: MovedClock, history: int
) -> None:
    site, database = restarting

    async def over_websocket() -> list[str]:
        async with site.stream() as socket:
            return types(await frame(socket))

    async def as_events() -> list[str]:
        async with site.events() as answer:
            assert answer.status == 200
            return [each["event"] for each in (await blocks(answer, 5))[1:]]

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(each()) for each in (over_websocket, as_events)]
        while database.asked < 10:
            await clock.advance(OPENING_PAUSE_SECONDS)
            await site.a_while()
        database.is_away = False
        while not all(each.done() for each in asked):
            await clock.advance(OPENING_PAUSE_SECONDS)
            await site.a_while()

    expected = ["chat", "message", "status", "preview_reset"]
    assert [each.result() for each in asked] == [expected, expected]


async def test_a_stream_does_not_wait_for_ever_for_a_database_that_is_away(
    restarting: tuple[Site, Restarting], clock: MovedClock, history: int
) -> None:
    site, database = restarting

    async with asyncio.TaskGroup() as group:
        asked = group.create_task(site.status())
        while not asked.done():
            await clock.advance(OPENING_PAUSE_SECONDS)
            await site.a_while()

    assert asked.result() == 503
    assert database.asked <= 2 * OPENING_SECONDS / OPENING_PAUSE_SECONDS


async def test_so_many_streams_wait_for_the_database_and_others_are_told_at_once_to_come_back(
    restarting: tuple[Site, Restarting], clock: MovedClock, history: int
) -> None:
    """Whose they are cannot be looked up: a wrong token waits as a good one does."""
    site, database = restarting

    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(site.status()) for _ in range(2)]
        while database.asked < 2:
            await site.a_while()
        async with site.events(headers={"Authorization": "Bearer wrong"}) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
        assert not any(each.done() for each in waiting)
        database.is_away = False
        while not all(each.done() for each in waiting):
            await clock.advance(OPENING_PAUSE_SECONDS)
            await site.a_while()

    assert [each.result() for each in waiting] == [200, 200]
    # Nothing is held any more.
    database.is_away, asked = True, database.asked
    async with asyncio.TaskGroup() as group:
        again = group.create_task(site.status())
        while database.asked < asked + 2:
            await clock.advance(OPENING_PAUSE_SECONDS)
            await site.a_while()
        database.is_away = False
        while not again.done():
            await clock.advance(OPENING_PAUSE_SECONDS)
            await site.a_while()
    assert again.result() == 200


async def test_streams_end_when_the_server_does(site: Site, history: int) -> None:
    async with site.stream() as socket, site.events() as answer, site.events(WATCH) as watching:
        await frame(socket)
        await blocks(answer, 5)
        site.stop.set()

        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == GOING_AWAY
        assert await answer.content.read() == b""
        assert (await watching.content.read()).startswith(b"retry: 1000\n\nid: ")


async def test_a_deleted_chat_closes_its_streams(site: Site, history: int) -> None:
    async with site.stream() as socket:
        await frame(socket)
        await delete_chat(site.store, CHAT)

        assert types(await frame(socket)) == ["chat_deleted"]
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == NORMAL


async def test_a_list_can_be_watched_both_ways(site: Site, history: int) -> None:
    async with site.session.ws_connect(WATCH) as socket, site.events(WATCH) as answer:
        assert types(await frame(socket)) == ["gap"]
        await blocks(answer, 2)
        await transact(site.store, CHAT, DescribeChat(details=Details(title="Better")))

        (event,) = await frame(socket)
        told = await block(answer)
    assert event == json.loads(told["data"])
    assert (event["type"], event["chat"]["title"], told["event"]) == (
        "title_change",
        "Better",
        "title_change",
    )


async def test_viewers_who_leave_are_forgotten(site: Site, history: int) -> None:
    async with site.stream() as socket, site.events() as answer:
        await frame(socket)
        await blocks(answer, 5)
        assert len(site.live.streams._bells) == 2
    await site.until_no_viewer_watches()
    assert site.store.hints.watched_chats() == []


async def test_a_request_in_the_log_has_the_route_and_never_the_token(
    site: Site, history: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with site.stream() as socket:
        await frame(socket)
    await site.until_no_viewer_watches()
    output = capsys.readouterr()
    assert site.token not in output.out + output.err


@pytest.mark.parametrize("way", ["websocket", "sse"])
async def test_a_viewer_who_was_told_something_holds_on_to_none_of_it(
    site: Site, history: int, way: str
) -> None:
    """Thousands of them look at chats in which nothing happens."""
    (raw,) = [
        site.live.encoded.view(CHAT, m) for m in (await list_messages(site.store.db, CHAT, limit=1)).messages
    ]
    free = sys.getrefcount(raw)
    async with site.stream() if way == "websocket" else site.events() as viewer:
        if way == "websocket":
            assert "message" in types(await frame(viewer))
        else:
            await blocks(viewer, 5)
        await site.a_while()

        assert sys.getrefcount(raw) == free


async def signed_in(site: Site, owner: UserId) -> dict[str, str]:
    """The headers of a page of ours in a browser that is signed in."""
    code = await new_code(site.store.db, owner, Purpose.TERMINAL)
    async with site.session.post("/api/v1/auth/exchange", json={"code": code}) as answer:
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        page = str(answer.url.origin())
    # The cookie is what this is about, so there is no token beside it.
    del site.session.headers["Authorization"]
    site.session.cookie_jar.clear()
    return {"Cookie": cookie, "Origin": page}


async def test_a_cookie_opens_streams_for_a_page_of_ours(site: Site, history: int, owner: UserId) -> None:
    page = await signed_in(site, owner)

    async with site.session.ws_connect(STREAM, headers=page) as socket:
        assert "chat" in types(await frame(socket))
    async with site.events(headers={"Cookie": page["Cookie"]}) as answer:
        assert answer.status == 200


@proves("people", 5)
async def test_a_websocket_of_another_site_is_refused_with_a_cookie_or_a_token(
    site: Site, history: int, owner: UserId
) -> None:
    page = await signed_in(site, owner)
    foreign = {"Origin": "https://evil.example"}

    for headers, protocols in (
        ({**page, **foreign}, []),
        ({"Cookie": page["Cookie"]}, []),
        ({**page, "Sec-Fetch-Site": "cross-site"}, []),
        (foreign, ["chatd", f"chatd.token.{site.token}"]),
    ):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await site.session.ws_connect(STREAM, headers=headers, protocols=protocols)
        assert refused.value.status == 403


async def test_signing_out_ends_the_streams_of_that_browser_at_once(
    site: Site, history: int, owner: UserId
) -> None:
    page = await signed_in(site, owner)
    async with site.session.ws_connect(STREAM, headers=page) as socket:
        await frame(socket)

        async with site.session.post("/api/v1/auth/sign-out", headers=page) as answer:
            assert answer.status == 200

        await is_cut_off(socket)


async def test_a_stream_whose_token_was_withdrawn_elsewhere_ends_with_the_next_look(
    site: Site, history: int, owner: UserId, clock: MovedClock
) -> None:
    async with site.stream() as socket:
        await frame(socket)
        await site.store.db.write(lambda tx: tx.run("delete_other_tokens_named", owner, "test", "none"))

        await clock.advance(ADMITTED_SECONDS)
        say(site.live.board, "not for them", history=history)

        await is_cut_off(socket)


@pytest.fixture
def told(site: Site) -> Iterator[Callable[[UserId], None]]:
    """As when another server has changed what a user may do."""
    with site.store.hints.listening_to_news(CatalogChanged, site.live.streams.hear):
        yield lambda user_id: site.store.hints.announce(
            CatalogChanged(kind=CatalogKind.USER_ACCESS, entity=user_id)
        )


async def test_a_stream_ends_when_another_server_has_suspended_its_user(
    site: Site, history: int, owner: UserId, told: Callable[[UserId], None]
) -> None:
    async with site.stream() as socket:
        await frame(socket)

        await suspend_user(site.store.db, owner)
        told(owner)

        await is_cut_off(socket)


async def test_a_stream_of_who_may_not_read_the_chat_any_more_ends(
    site: Site, history: int, told: Callable[[UserId], None]
) -> None:
    _, admin = [await create_user(site.store.db, name, UserRole.ADMIN) for name in ("anna", "berta")]
    token = await create_token(site.store.db, admin.id, "test")
    async with site.session.ws_connect(STREAM, headers={"Authorization": f"Bearer {token}"}) as socket:
        await frame(socket)

        await change_user(site.store.db, admin.id, UserChange(role=UserRole.MEMBER))
        told(admin.id)

        await is_cut_off(socket)


async def until_closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    """With which code."""
    async for _ in socket:
        pass
    return socket.close_code


@pytest.mark.parametrize(
    ("message", "times"), [("x", MESSAGES_MAX + 1), ("x" * BYTES_MAX, 2), ("ä" * (BYTES_MAX // 4), 3)]
)
async def test_a_viewer_who_sends_too_much_is_turned_away(
    site: Site, history: int, message: str, times: int
) -> None:
    async with site.stream() as socket:
        await socket.receive()
        for _ in range(times):
            await socket.send_str(message)

        assert await until_closed(socket) == REFUSED
    await site.until_no_viewer_watches()


async def test_a_viewer_may_send_something_now_and_then_and_any_number_of_pings(
    site: Site, clock: MovedClock, history: int
) -> None:
    async with site.stream() as socket:
        await socket.receive()
        for _ in range(3):
            for _ in range(MESSAGES_MAX):
                await socket.ping(b"x" * 100)
            for _ in range(MESSAGES_MAX):
                await socket.send_bytes(b"alive")
            await site.a_while()
            await clock.advance(WINDOW_SECONDS)

        await socket.close()
        assert socket.close_code == NORMAL


async def test_a_message_in_endless_pieces_is_not_kept(site: Site, history: int) -> None:
    first, another = b"\x01\x80\0\0\0\0", b"\x00\x80\0\0\0\0"
    async with site.stream() as socket:
        await socket.receive()
        socket._writer.transport.write(first + another * FRAGMENTS_MAX)

        assert await until_closed(socket) == REFUSED
