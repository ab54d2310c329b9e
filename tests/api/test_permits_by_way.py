"""The matrix once more, by every way in: whoever comes in by it may do what the table says, and nothing else.

Over HTTP, Server-Sent Events and WebSockets. And the ways that let nobody in, at every route and stream.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from http import HTTPStatus
from pathlib import Path

import pytest
from msgspec.structs import replace
from starlette.types import ASGIApp

from chatd.accounts.lives.lives import delete_user, suspend_user
from chatd.accounts.services.speaking import UserTokenWanted, add_user_token
from chatd.accounts.tokens.tokens import Wanted, add_token, create_token, revoke_token, tokens_of
from chatd.accounts.users import User, user_named
from chatd.accounts.ways_in.declared import ProxyHeader
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.serving.callers.auth import SAFE_METHODS
from chatd.domain.people.acting import SCOPES_FOR_OTHERS
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.people.roles import UserKind
from chatd.domain.people.scopes import ALL_SCOPES, USUAL_SCOPES, TokenScope
from chatd.hints.memory import MemoryBus
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.api.test_permits import (
    CALLERS,
    PLENTY,
    STREAM_TRIES,
    TRIES,
    Try,
    Who,
    _answer,
    _expected,
    _json,
    _scene,
    _told,
)
from tests.api.websockets import opened
from tests.clock import MovedClock
from tests.conftest import empty_sqlite
from tests.support.catalog_stores import FakeProber, some_catalog_store
from tests.traceability import proves

HOST = {"host": "chatd.example"}
OWN_PAGE = {**HOST, "origin": "http://chatd.example"}
# Of tokens that services make for a page.
OF_PAGES = frozenset({TokenScope.CHATS_READ, TokenScope.CHATS_WRITE, TokenScope.FILES_WRITE})
PROXY = ProxyHeader(header="X-Remote-User", from_=("127.0.0.0/8",))
DAY_SECONDS = 24 * 3600


class Scene:
    """A caller and a chat."""

    def __init__(self, app: ASGIApp, store: Store, who: Who, user: User, token: str, chat_id: str) -> None:
        self.app, self.store, self.who, self.user = app, store, who, user
        self.token, self.chat_id = token, chat_id

    async def signed_in_with(self, **shown: str) -> Mapping[str, str]:
        """As a browser is, whose cookie our own page sends along."""
        answer = await Client(self.app).post("/api/v1/auth/exchange", shown)
        assert answer.status == 200, answer.body
        return {**OWN_PAGE, "cookie": answer.headers["set-cookie"].partition(";")[0]}

    async def ask(self, each: Try, headers: Mapping[str, str], over: str = "http") -> tuple[int, str] | str:
        path = each.path(self.chat_id)
        if over == "websocket":
            began = await opened(self.app, path, headers=headers)
            return "served" if began["type"] == "websocket.accept" else _told(began["status"], began["body"])
        chunks = [] if each.body is None else [_json(each.body)]
        accept = {"accept": "text/event-stream"} if over == "sse" else {}
        answer = await Client(self.app).ask(each.method, path, *chunks, headers={**headers, **accept})
        return _told(answer.status, answer.body)


Way = Callable[[Scene], Awaitable[tuple[Who, Mapping[str, str]]]]


async def by_cookie(scene: Scene) -> tuple[Who, Mapping[str, str]]:
    code = await new_code(scene.store.db, scene.user.id, Purpose.RECOVER)
    return scene.who, await scene.signed_in_with(code=code)


async def by_cookie_of_a_token(scene: Scene) -> tuple[Who, Mapping[str, str]]:
    token = await create_token(scene.store.db, scene.user.id, "test", scopes=USUAL_SCOPES)
    return replace(scene.who, scopes=USUAL_SCOPES), await scene.signed_in_with(token=token)


async def by_proxy(scene: Scene) -> tuple[Who, Mapping[str, str]]:
    return scene.who, {**OWN_PAGE, "x-remote-user": scene.user.name}


async def by_service(scene: Scene) -> tuple[Who, Mapping[str, str]]:
    assert scene.user.service_id is not None
    token = await create_token(scene.store.db, scene.user.service_id, "test", scopes=ALL_SCOPES)
    headers = {"authorization": f"Bearer {token}", "x-chatd-user": scene.user.name}
    return replace(scene.who, scopes=SCOPES_FOR_OTHERS), headers


async def by_token_of_a_service(scene: Scene) -> tuple[Who, Mapping[str, str]]:
    service = await user_named(scene.store.db, "service")
    assert service is not None
    wanted = UserTokenWanted(scopes=OF_PAGES, seconds=3600)
    made = await add_user_token(scene.store.db, service, scene.user, wanted)
    return replace(scene.who, scopes=OF_PAGES), {"authorization": f"Bearer {made.token}"}


WAYS: Mapping[str, Way] = {
    "cookie": by_cookie,
    "cookie that a token began": by_cookie_of_a_token,
    "header of the proxy": by_proxy,
    "service that speaks for them": by_service,
    "token that their service made": by_token_of_a_service,
}
PEOPLE = [name for name, who in CALLERS.items() if who.kind is UserKind.PERSON and who.only_for is None]
END_USERS = [name for name, who in CALLERS.items() if who.kind is UserKind.END_USER and who.only_for is None]
BY_WAY = [
    *((way, caller) for way in ("cookie", "cookie that a token began") for caller in PEOPLE),
    # It joins no administrator.
    *(("header of the proxy", caller) for caller in PEOPLE if "administrator" not in caller),
    *((way, caller) for way in list(WAYS)[-2:] for caller in END_USERS),
]


@pytest.fixture
async def store(
    sqlite_template: Path, tmp_path: Path, bus: MemoryBus, clock: MovedClock
) -> AsyncIterator[Store]:
    """On one database: test_permits.py is on both, and only the way in differs here."""
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock, inline=True) as db:
        yield Store(db, bus)


def served(store: Store) -> ASGIApp:
    catalog = some_catalog_store(store)
    return build(store, catalog_store=catalog, prober=FakeProber(), limits=PLENTY, proxy_header=PROXY)


@pytest.fixture
def app(store: Store) -> ASGIApp:
    return served(store)


async def scene_of(app: ASGIApp, store: Store, caller: str) -> Scene:
    who = CALLERS[caller]
    asking, chat_id = await _scene(app, store, who)
    me = await asking.get("/api/v1/users/me")
    user = User(me.json["id"], me.json["name"], who.role, who.kind)
    if who.kind is UserKind.END_USER:
        service = await user_named(store.db, "service")
        assert service is not None
        user = User(user.id, user.name, who.role, who.kind, service.id)
    return Scene(app, store, who, user, asking.token or "", chat_id)


def _everything() -> list[tuple[Try, str]]:
    """Every route over HTTP, and every stream in both ways."""
    of_streams = [(each, over) for each in STREAM_TRIES for over in ("sse", "websocket")]
    return [*of_streams, *((each, "http") for each in TRIES)]


@proves("people", 19)
@pytest.mark.parametrize(("way", "caller"), BY_WAY)
async def test_by_every_way_in_every_route_and_stream_answers_as_the_table_says(
    app: ASGIApp, store: Store, way: str, caller: str
) -> None:
    scene = await scene_of(app, store, caller)
    who, headers = await WAYS[way](scene)

    for each, over in _everything():
        if each.url.endswith("/sign-out") and "cookie" in headers:
            continue  # It ends the way in; tests/api/accounts/test_signing_in.py is about that.
        assert await scene.ask(each, headers, over) == _answer(_expected(who, *each.deeds)), (each, over)


async def nothing(_: Scene) -> Mapping[str, str]:
    return {}


async def wrong_token(_: Scene) -> Mapping[str, str]:
    return {"authorization": "Bearer chatd_of-nobody"}


async def another_scheme(scene: Scene) -> Mapping[str, str]:
    return {"authorization": f"Basic {scene.token}"}


async def wrong_token_beside_a_good_cookie(scene: Scene) -> Mapping[str, str]:
    _, headers = await by_cookie(scene)
    return {**headers, "authorization": "Bearer chatd_of-nobody"}


async def wrong_cookie(_: Scene) -> Mapping[str, str]:
    return {**OWN_PAGE, "cookie": "chatd=of-nobody"}


async def revoked_token(scene: Scene) -> Mapping[str, str]:
    for each in await tokens_of(scene.store.db, scene.user.id):
        await revoke_token(scene.store.db, scene.user.id, each.id)
    return {"authorization": f"Bearer {scene.token}"}


async def token_of_one_who_is_suspended(scene: Scene) -> Mapping[str, str]:
    await suspend_user(scene.store.db, scene.user.id)
    return {"authorization": f"Bearer {scene.token}"}


async def cookie_of_one_who_is_suspended(scene: Scene) -> Mapping[str, str]:
    _, headers = await by_cookie(scene)
    await suspend_user(scene.store.db, scene.user.id)
    return headers


async def proxy_for_one_who_is_suspended(scene: Scene) -> Mapping[str, str]:
    await suspend_user(scene.store.db, scene.user.id)
    return (await by_proxy(scene))[1]


async def token_of_one_who_was_deleted(scene: Scene) -> Mapping[str, str]:
    leaving = Leaving(chats=ChatsOfLeaver.ARCHIVE, by=THE_SERVER)
    await delete_user(scene.store.db, scene.user.id, leaving)
    return {"authorization": f"Bearer {scene.token}"}


OUTSIDE: Mapping[Callable[[Scene], Awaitable[Mapping[str, str]]], str] = {
    nothing: "unauthenticated",
    wrong_token: "unauthenticated",
    another_scheme: "unauthenticated",
    wrong_token_beside_a_good_cookie: "unauthenticated",
    wrong_cookie: "unauthenticated",
    revoked_token: "unauthenticated",
    token_of_one_who_is_suspended: "account_suspended",
    # Sign-ins end.
    cookie_of_one_who_is_suspended: "unauthenticated",
    proxy_for_one_who_is_suspended: "account_suspended",
    token_of_one_who_was_deleted: "unauthenticated",
}


@pytest.mark.parametrize("way", OUTSIDE, ids=lambda way: way.__name__)
async def test_what_lets_nobody_in_lets_nobody_in_anywhere(
    app: ASGIApp, store: Store, way: Callable[[Scene], Awaitable[Mapping[str, str]]]
) -> None:
    scene = await scene_of(app, store, "owner")
    headers = await way(scene)
    # One that remembers no caller: nothing has told it that somebody's access has changed.
    scene.app = served(store)

    told = {await scene.ask(each, headers, over) for each, over in _everything()}

    assert told == {(HTTPStatus.UNAUTHORIZED, OUTSIDE[way])}


async def test_a_token_that_has_ended_lets_nobody_in_anywhere(
    app: ASGIApp, store: Store, clock: MovedClock
) -> None:
    scene = await scene_of(app, store, "owner")
    wanted = Wanted(name="test", scopes=ALL_SCOPES, days=1)
    token, _ = await add_token(store.db, scene.user.id, wanted)
    await clock.advance(DAY_SECONDS)
    headers = {"authorization": f"Bearer {token}"}
    told = {await scene.ask(each, headers, over) for each, over in _everything()}

    assert told == {(HTTPStatus.UNAUTHORIZED, "token_expired")}


@proves("people", 5)
@pytest.mark.parametrize("way", ["cookie", "header of the proxy"])
@pytest.mark.parametrize("site", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {}])
async def test_what_a_browser_adds_by_itself_changes_nothing_for_another_site_anywhere(
    app: ASGIApp, store: Store, way: str, site: Mapping[str, str]
) -> None:
    scene = await scene_of(app, store, "owner")
    _, known = await WAYS[way](scene)
    headers = {**{name: value for name, value in known.items() if name != "origin"}, **site}

    told = {
        await scene.ask(each, headers, over)
        for each, over in _everything()
        if over == "websocket" or each.method not in SAFE_METHODS
    }

    assert told == {(HTTPStatus.FORBIDDEN, "cross_site")}
