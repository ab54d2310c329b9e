"""Signing in with a browser: links, tokens, cookies, and what other sites cannot do with them."""

import json
from collections.abc import Mapping

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.serving.limits.admission import RequestLimits
from chatd.api.serving.origins.sites import Sites
from chatd.domain.ids import UserId
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Answer, Client
from tests.traceability import proves

HOST = {"host": "127.0.0.1:8787"}
OWN_PAGE = {**HOST, "origin": "http://127.0.0.1:8787", "sec-fetch-site": "same-origin"}
EXCHANGE, SIGN_OUT = "/api/v1/auth/exchange", "/api/v1/auth/sign-out"
SIGN_INS = "/api/v1/users/me/sign-ins"
HELLO = b'{"content": [{"type": "text", "text": "hello"}]}'


class Browser:
    """Our page in a browser: it keeps the cookie that it is given."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str] = OWN_PAGE) -> None:
        self._client = Client(app)
        self._headers = headers
        self.cookie = ""

    async def ask(self, method: str, path: str, *body: bytes, **other: str) -> Answer:
        headers = {**self._headers, **({"cookie": self.cookie} if self.cookie else {})}
        headers |= {name.replace("_", "-"): value for name, value in other.items()}
        answer = await self._client.ask(method, path, *body, headers=headers)
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    async def exchange(self, **shown: str) -> Answer:
        return await self.ask("POST", EXCHANGE, json.dumps(shown).encode())


@pytest.fixture
def browser(app: ASGIApp) -> Browser:
    return Browser(app)


@pytest.fixture
async def code(store: Store, owner: UserId) -> str:
    return await new_code(store.db, owner, Purpose.TERMINAL)


@pytest.fixture
async def signed_in(browser: Browser, code: str) -> Browser:
    assert (await browser.exchange(code=code)).status == 200
    return browser


async def test_the_code_of_a_link_signs_a_browser_in(browser: Browser, code: str, owner: UserId) -> None:
    assert (await browser.ask("GET", CHATS)).status == 401

    answer = await browser.exchange(code=code)

    assert answer.json["id"] == owner
    assert (await browser.ask("GET", "/api/v1/users/me")).json == answer.json
    assert (await browser.ask("POST", CHATS, HELLO)).status == 201


async def test_a_token_signs_a_browser_in_too(browser: Browser, store: Store, owner: UserId) -> None:
    token = await create_token(store.db, owner, "laptop")

    assert (await browser.exchange(token=f" {token}\n")).status == 200
    (sign_in,) = (await browser.ask("GET", SIGN_INS)).json["sign_ins"]

    assert (sign_in["method"], sign_in["current"]) == ("token", True)
    assert token not in browser.cookie


@proves("people", 3)
async def test_a_code_that_is_used_unknown_or_expired_is_refused_alike(
    app: ASGIApp, signed_in: Browser, code: str
) -> None:
    answers = [await Browser(app).exchange(code=each) for each in (code, "unknown")]

    assert [answer.status for answer in answers] == [401, 401]
    assert answers[0].body == answers[1].body
    assert "set-cookie" not in answers[0].headers


@pytest.mark.parametrize("body", [b"{}", b'{"code": "a", "token": "b"}'])
async def test_a_browser_shows_a_code_or_a_token(browser: Browser, body: bytes) -> None:
    assert (await browser.ask("POST", EXCHANGE, body)).error["code"] == "bad_value"


async def test_on_this_machine_the_cookie_is_for_our_scripts_and_others_to_leave_alone(
    browser: Browser, code: str
) -> None:
    header = (await browser.exchange(code=code)).headers["set-cookie"]
    name, *about = header.split("; ")

    assert name.startswith("chatd=")
    assert len(name) > 43
    assert about == ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"]


async def test_over_https_the_cookie_has_the_name_that_only_this_host_can_set(
    store: Store, code: str
) -> None:
    sites = Sites(public_origin="https://example.org")
    page = {"host": "example.org", "origin": "https://example.org"}
    browser = Browser(build(store, sites=sites), page)

    header = (await browser.exchange(code=code)).headers["set-cookie"]

    assert header.startswith("__Host-chatd=")
    assert header.endswith("; HttpOnly; SameSite=Lax; Secure")
    assert (await browser.ask("GET", CHATS)).status == 200
    browser.cookie = browser.cookie.removeprefix("__Host-")
    assert (await browser.ask("GET", CHATS)).status == 401


async def test_signing_in_again_ends_what_the_browser_had_before(
    signed_in: Browser, store: Store, owner: UserId
) -> None:
    before = signed_in.cookie

    await signed_in.exchange(code=await new_code(store.db, owner, Purpose.TERMINAL))

    assert signed_in.cookie != before
    assert (await signed_in.ask("GET", CHATS)).status == 200
    assert (await signed_in.ask("GET", CHATS, cookie=before)).status == 401


@proves("people", 4)
async def test_a_wrong_token_is_refused_although_the_cookie_is_good(signed_in: Browser) -> None:
    assert (await signed_in.ask("GET", CHATS)).status == 200
    for wrong in ("Bearer nonsense", "Basic dXNlcjpwYXNz", ""):
        assert (await signed_in.ask("GET", CHATS, authorization=wrong)).status == 401


async def test_a_cookie_that_ended_is_refused_and_says_how_to_come_back(browser: Browser) -> None:
    browser.cookie = "chatd=gone"

    error = (await browser.ask("GET", CHATS)).error

    assert (error["code"], "chatd link" in error["hint"]) == ("unauthenticated", True)


FOREIGN = {
    "a foreign origin": {"origin": "https://evil.example", "sec_fetch_site": "same-origin"},
    "another site": {"sec_fetch_site": "cross-site"},
    "a neighbour": {"sec_fetch_site": "same-site"},
    "another port": {"origin": "http://127.0.0.1:9999"},
    "a page without origin": {"origin": "null"},
}


@proves("people", 5)
@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN.keys())
async def test_a_cookie_does_nothing_for_another_site(signed_in: Browser, headers: dict[str, str]) -> None:
    refused = await signed_in.ask("POST", CHATS, HELLO, **headers)

    assert (refused.status, refused.error["code"]) == (403, "cross_site")
    assert (await signed_in.ask("GET", CHATS)).json == {"chats": []}


@proves("people", 5)
async def test_a_cookie_does_nothing_where_no_browser_says_who_sends_it(
    app: ASGIApp, signed_in: Browser
) -> None:
    bare = Browser(app, HOST)
    bare.cookie = signed_in.cookie

    assert (await bare.ask("POST", CHATS, HELLO)).error["code"] == "cross_site"
    assert (await bare.ask("GET", CHATS)).json == {"chats": []}


@pytest.mark.parametrize(
    "headers",
    [{"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {"origin": "http://127.0.0.1:8787"}],
)
async def test_one_of_the_two_headers_of_a_browser_is_enough(
    app: ASGIApp, signed_in: Browser, headers: dict[str, str]
) -> None:
    older = Browser(app, {**HOST, **headers})
    older.cookie = signed_in.cookie

    assert (await older.ask("POST", CHATS, HELLO)).status == 201


async def test_another_site_cannot_sign_a_browser_in(browser: Browser, code: str) -> None:
    body = b'{"code": "%s"}' % code.encode()

    refused = await browser.ask("POST", EXCHANGE, body, origin="https://evil.example")

    assert (refused.status, "set-cookie" in refused.headers) == (403, False)
    assert (await browser.exchange(code=code)).status == 200


async def test_a_token_needs_no_page_of_ours(client: Client) -> None:
    headers = {"origin": "https://tool.example", "sec-fetch-site": "cross-site"}

    assert (await client.ask("POST", CHATS, HELLO, headers=headers)).status == 201


async def test_signing_out_ends_the_sign_in_at_once(signed_in: Browser) -> None:
    cookie = signed_in.cookie
    assert (await signed_in.ask("GET", CHATS)).status == 200

    answer = await signed_in.ask("POST", SIGN_OUT)

    assert answer.headers["set-cookie"].startswith("chatd=; Path=/; Max-Age=0;")
    assert (await signed_in.ask("GET", CHATS, cookie=cookie)).status == 401


async def test_signing_out_everywhere_ends_all_browsers_of_the_user(
    app: ASGIApp, signed_in: Browser, store: Store, owner: UserId
) -> None:
    other = Browser(app)
    await other.exchange(code=await new_code(store.db, owner, Purpose.TERMINAL))

    await other.ask("POST", SIGN_OUT, b'{"everywhere": true}')

    assert (await signed_in.ask("GET", CHATS)).status == 401


async def test_sign_ins_are_listed_and_ended_one_by_one(
    app: ASGIApp, signed_in: Browser, stranger: Client, store: Store, owner: UserId
) -> None:
    other = Browser(app, {**OWN_PAGE, "user-agent": "Firefox\x1b[31m/144 " + "x" * 500})
    await other.exchange(code=await new_code(store.db, owner, Purpose.TERMINAL))
    listed = (await signed_in.ask("GET", SIGN_INS)).json["sign_ins"]
    (theirs,) = [each for each in listed if not each["current"]]

    assert theirs["browser"].startswith("Firefox [31m/144 xxx")
    assert len(theirs["browser"]) == 200
    assert theirs["address"] == "127.0.0.1"
    assert (await stranger.delete(f"{SIGN_INS}/{theirs['id']}")).error["code"] == "sign_in_not_found"
    assert (await signed_in.ask("DELETE", f"{SIGN_INS}/{theirs['id']}")).status == 204
    assert (await other.ask("GET", CHATS)).status == 401
    assert len((await signed_in.ask("GET", SIGN_INS)).json["sign_ins"]) == 1


async def test_an_address_may_try_to_sign_in_so_many_times_in_a_minute(store: Store) -> None:
    browser = Browser(build(store, limits=RequestLimits(sign_ins_per_minute=2), now_seconds=lambda: 0.0))

    answers = [await browser.exchange(code="guess") for _ in range(3)]

    assert [answer.status for answer in answers] == [401, 401, 429]
    assert answers[2].headers["retry-after"] == "30"


async def test_anyone_may_ask_how_to_sign_in(browser: Browser) -> None:
    told = (await browser.ask("GET", "/api/v1/auth/methods")).json

    assert told == {"methods": ["link", "token"], "oidc_name": None}


async def test_no_browser_keeps_what_the_api_answers(signed_in: Browser) -> None:
    answer = await signed_in.ask("GET", CHATS)

    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
