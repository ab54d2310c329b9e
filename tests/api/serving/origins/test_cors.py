"""Pages at other origins: those that the settings name may call with a token, and nobody with a cookie."""

import pytest
from starlette.types import ASGIApp

from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.serving.origins.cors import ASKED_SECONDS
from chatd.api.serving.origins.sites import sites_at
from chatd.domain.ids import UserId
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Answer, Client
from tests.api.websockets import opened
from tests.traceability import proves

OURS, THEIRS = "https://app.example.org", "https://evil.example"
HELLO = b'{"content": [{"type": "text", "text": "hello"}]}'
WANTS_TO_POST = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
HOST = {"host": "127.0.0.1:8787"}


@pytest.fixture
def app(store: Store) -> ASGIApp:
    sites = sites_at(listen="127.0.0.1", public_url=None, allowed_hosts=(), cors_origins=(OURS,))
    return build(store, sites=sites)


async def ask(client: Client, method: str, path: str, *body: bytes, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.ask(method, path, *body, headers={**HOST, **named})


def cors_headers(answer: Answer) -> set[str]:
    return {name for name in answer.headers if name.startswith("access-control-")}


@proves("people", 82)
async def test_a_browser_is_told_what_scripts_of_an_allowed_origin_may_send(client: Client) -> None:
    told = await ask(client, "OPTIONS", CHATS, origin=OURS, **WANTS_TO_POST)

    assert (told.status, told.body) == (204, b"")
    assert told.headers["access-control-allow-origin"] == OURS
    assert "POST" in told.headers["access-control-allow-methods"]
    sent = told.headers["access-control-allow-headers"].lower()
    assert "authorization" in sent
    assert "x-chatd-user" not in sent
    assert told.headers["access-control-max-age"] == str(ASKED_SECONDS)


@proves("people", 82)
async def test_an_allowed_origin_reads_what_is_answered_to_its_token_also_refusals(client: Client) -> None:
    served = await ask(client, "POST", CHATS, HELLO, origin=OURS)
    client.token = None
    refused = await ask(client, "GET", CHATS, origin=OURS)

    assert (served.status, refused.status) == (201, 401)
    for answer in (served, refused):
        assert cors_headers(answer) == {"access-control-allow-origin", "access-control-expose-headers"}
        assert answer.headers["access-control-allow-origin"] == OURS
        assert answer.headers["vary"] == "Origin"


@proves("people", 82)
@pytest.mark.parametrize("origin", [THEIRS, "null", "https://app.example.org:444", "http://app.example.org"])
async def test_another_origin_is_told_nothing(client: Client, origin: str) -> None:
    asked = await ask(client, "OPTIONS", CHATS, origin=origin, **WANTS_TO_POST)
    answered = await ask(client, "GET", CHATS, origin=origin)

    assert (asked.status, answered.status) == (405, 200)
    assert cors_headers(asked) == cors_headers(answered) == set()
    assert answered.headers["vary"] == "Origin"


@proves("people", 82)
async def test_a_cookie_does_nothing_for_an_allowed_origin(app: ASGIApp, store: Store, owner: UserId) -> None:
    browser = Client(app)
    code = await new_code(store.db, owner, Purpose.TERMINAL)
    own = {"origin": "http://127.0.0.1:8787"}
    signed_in = await ask(browser, "POST", "/api/v1/auth/exchange", b'{"code": "%s"}' % code.encode(), **own)
    cookie = signed_in.headers["set-cookie"].partition(";")[0]

    refused = await ask(browser, "POST", CHATS, HELLO, cookie=cookie, origin=OURS)

    assert (refused.status, refused.error["code"]) == (403, "cross_site")
    assert "access-control-allow-credentials" not in refused.headers
    assert await websocket_status(app, OURS, cookie=cookie) == 403


@pytest.mark.parametrize(("origin", "status"), [(OURS, 101), (THEIRS, 403)])
async def test_a_websocket_with_a_token_is_for_allowed_origins(
    app: ASGIApp, client: Client, origin: str, status: int
) -> None:
    assert await websocket_status(app, origin, token=client.token or "") == status


async def test_the_page_itself_is_not_for_other_origins(client: Client) -> None:
    assert cors_headers(await ask(client, "GET", "/", origin=OURS)) == set()


async def test_without_the_setting_nothing_is_said_of_origins(store: Store, client: Client) -> None:
    answered = await ask(Client(build(store), client.token), "GET", CHATS, origin=OURS)

    assert cors_headers(answered) | ({"vary"} & set(answered.headers)) == set()


async def websocket_status(app: ASGIApp, origin: str, *, token: str = "", cookie: str = "") -> int:
    headers = {**HOST, "origin": origin, **({"cookie": cookie} if cookie else {})}
    began = await opened(app, f"{CHATS}/watch", token, headers)
    return 101 if began["type"] == "websocket.accept" else int(began["status"])
