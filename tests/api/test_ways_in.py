"""Every route and stream by every way in: one counts, what is wrong is refused, others do nothing."""

import json
import re
from collections.abc import Iterator

import pytest
from msgspec import Struct
from starlette.types import ASGIApp, Message

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.ways_in.declared import ProxyHeader
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.routes import ROUTES, STREAMS
from chatd.api.serving.callers.auth import SAFE_METHODS
from chatd.domain.ids import UserId
from chatd.domain.people.deeds import Deed
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves

PROXY, ELSEWHERE = "10.0.0.1", "192.0.2.9"
HOST = {"host": "127.0.0.1:8787"}
OWN = {**HOST, "sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8787"}
FOREIGN = (
    {**HOST, "sec-fetch-site": "cross-site"},
    {**HOST, "origin": "https://evil.example"},
    HOST,
)


class Ask(Struct, frozen=True):
    method: str
    path: str

    @property
    def changes(self) -> bool:
        return self.method not in SAFE_METHODS


def asks() -> Iterator[Ask]:
    """Those that are for who is known. Nothing is at the ids, so that nothing is changed."""
    for route in ROUTES:
        if route.for_guests:
            continue
        # Signing out would end what the others are tried with, and a new chat costs more than a look.
        if route.deed not in (Deed.ENTER, Deed.CHAT_CREATE) and not route.path.endswith("/sign-out"):
            yield Ask(route.method, re.sub(r"\{\w+\}", "nothing", route.path))


ASKS = tuple(asks())
SOCKETS = tuple(re.sub(r"\{\w+\}", "nothing", stream.path) for stream in STREAMS if not stream.for_guests)


class Ways(Struct, frozen=True):
    """Headers that let the same user in, by each way."""

    app: ASGIApp
    token: dict[str, str]
    cookie: dict[str, str]
    header: dict[str, str]

    async def status(self, ask: Ask, *headers: dict[str, str], peer: str = PROXY) -> tuple[int, str]:
        sent: dict[str, str] = {}
        for each in headers:
            sent |= each
        answer = await Client(self.app, address=peer).ask(ask.method, ask.path, headers=sent)
        code = json.loads(answer.body)["error"]["code"] if answer.status >= 400 else ""
        return answer.status, code


@pytest.fixture
async def ways(store: Store, owner: UserId) -> Ways:
    header = ProxyHeader(header="X-Remote-User", from_=("10.0.0.0/8",))
    app = build(store, catalog_store=some_catalog_store(store), proxy_header=header)
    token = {"authorization": f"Bearer {await create_token(store.db, owner, 'test')}"}
    code = json.dumps({"code": await new_code(store.db, owner, Purpose.TERMINAL)}).encode()
    signed_in = await Client(app).ask("POST", "/api/v1/auth/exchange", code, headers=OWN)
    return Ways(
        app=app,
        token=token,
        cookie={"cookie": signed_in.headers["set-cookie"].partition(";")[0]},
        header={"x-remote-user": "owner"},
    )


def test_there_is_something_to_try() -> None:
    assert len(ASKS) > 80
    assert len(SOCKETS) >= 2


@proves("people", 6)
async def test_without_a_way_in_every_route_is_closed(ways: Ways) -> None:
    for ask in ASKS:
        assert await ways.status(ask, OWN) == (401, "unauthenticated"), ask
        assert await ways.status(ask, OWN, ways.header, peer=ELSEWHERE) == (401, "unauthenticated"), ask


async def test_a_way_that_is_there_and_wrong_is_refused_whatever_else_is_there(ways: Ways) -> None:
    wrong_token, wrong_cookie = {"authorization": "Bearer wrong"}, {"cookie": "chatd=wrong"}
    for ask in ASKS:
        assert (await ways.status(ask, OWN, ways.cookie, ways.header, wrong_token))[0] == 401, ask
        assert (await ways.status(ask, OWN, ways.header, wrong_cookie))[0] == 401, ask


@proves("people", 5)
async def test_a_page_of_others_changes_nothing_with_what_a_browser_or_a_proxy_adds(ways: Ways) -> None:
    for ask in ASKS:
        if ask.changes:
            for page in FOREIGN:
                assert await ways.status(ask, page, ways.cookie) == (403, "cross_site"), ask
                assert await ways.status(ask, page, ways.header) == (403, "cross_site"), ask


async def test_each_way_lets_the_same_user_in_to_look(ways: Ways) -> None:
    for ask in ASKS:
        if ask.method == "GET" and ask.path != "/api/v1/chats/nothing/watch":
            by_token = await ways.status(ask, OWN, ways.token)
            assert by_token[0] != 401, ask
            assert await ways.status(ask, OWN, ways.cookie) == by_token, ask
            assert await ways.status(ask, OWN, ways.header) == by_token, ask


@proves("people", 5)
async def test_a_stream_is_opened_by_a_way_in_and_not_by_a_page_of_others(ways: Ways) -> None:
    for path in SOCKETS:
        assert await opened(ways.app, path, OWN) == 401, path
        for way in (ways.cookie, ways.header):
            assert await opened(ways.app, path, {**OWN, **way}) not in (401, 403), path
            for page in FOREIGN:
                assert await opened(ways.app, path, {**page, **way}) == 403, path


async def opened(app: ASGIApp, path: str, headers: dict[str, str]) -> int | str:
    """How a WebSocket was answered."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"} if not sent else {"type": "websocket.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": (PROXY, 1),
        "subprotocols": [],
    }
    await app(scope, receive, send)
    return "accepted" if sent[0]["type"] == "websocket.accept" else int(sent[0]["status"])
