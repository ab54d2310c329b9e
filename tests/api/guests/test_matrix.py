"""A new kind of caller, at every route and stream; and all others at those of guests."""

import re
from collections.abc import Mapping

import pytest
from starlette.types import ASGIApp

from chatd.accounts.ways_in.declared import ProxyHeader
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.routes import ROUTES, STREAMS
from chatd.api.serving.limits.admission import RequestLimits
from chatd.domain.ids import UserId
from chatd.domain.people.deeds import CHAT_DEEDS, Cell, Deed
from chatd.domain.people.permit import Hide, Relation, permit
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.api.guests.words import LINKS_ON, PUBLIC, Guest, make_link
from tests.api.rates import NO_RATES
from tests.api.test_permits import CALLERS, EXAMPLES, _json, _scene
from tests.api.websockets import opened
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves

HOST = {"host": "chatd.example"}
PLENTY = RequestLimits(by_kind=NO_RATES, guests_per_minute=0, sign_ins_per_minute=0)
OF_USERS = [route for route in ROUTES if not route.for_guests and route.deed is not Deed.ENTER]
STREAMS_OF_USERS = [stream for stream in STREAMS if not stream.for_guests]
OF_GUESTS = sorted({route.path for route in ROUTES if route.for_guests})
STREAMS_OF_GUESTS = [stream.path for stream in STREAMS if stream.for_guests]


@pytest.fixture
def app(store: Store) -> ASGIApp:
    proxy = ProxyHeader(header="X-Remote-User", from_=("127.0.0.0/8",))
    catalog = some_catalog_store(store)
    return build(store, catalog_store=catalog, policy=LINKS_ON, limits=PLENTY, proxy_header=proxy)


def path_at(path: str, chat_id: str) -> str:
    return re.sub(r"\{\w+\}", "1", path.replace("{chat_id}", chat_id))


def test_there_is_something_to_try() -> None:
    assert len(OF_USERS) > 100
    assert [f"{PUBLIC}/{name}" for name in ("chat", "files/{file_id}", "messages")] == OF_GUESTS
    assert [f"{PUBLIC}/stream"] == STREAMS_OF_GUESTS


@proves("people", 18)
def test_every_route_of_guests_is_a_deed_of_the_table_and_changes_nothing() -> None:
    for route in ROUTES:
        if route.for_guests:
            assert CHAT_DEEDS[route.deed].guest is Cell.GUEST
            assert (route.method, route.path.startswith(PUBLIC)) == ("GET", True)


@proves("people", 19)
async def test_with_a_code_no_route_and_no_stream_of_users_is_open(app: ASGIApp, client: Client) -> None:
    """Also of the very chat that it lets in to."""
    chat_id = (await client.start_chat())["id"]
    guest = Guest(app, (await make_link(client, chat_id, live=True))["code"])
    headers = {name: str(value) for name, value in guest.headers.items()}

    told = set()
    for route in OF_USERS:
        bodies = EXAMPLES.get(f"{route.method} {route.path}", {route.deed: {}})
        for body in bodies.values():
            answer = await Client(app).ask(
                route.method, path_at(route.path, chat_id), _json(body), headers=headers
            )
            told.add((answer.status, answer.error["code"]))
    for stream in STREAMS_OF_USERS:
        path = path_at(stream.path, chat_id)
        over_sse = await Client(app).ask("GET", path, headers={**headers, "accept": "text/event-stream"})
        told.add((over_sse.status, over_sse.error["code"]))
        began = await opened(app, path, headers=headers)
        told.add((began["status"], "unauthenticated" if b"unauthenticated" in began["body"] else ""))

    assert told == {(401, "unauthenticated")}
    assert await guest.is_let_in()


@proves("people", 19)
@pytest.mark.parametrize("caller", CALLERS)
async def test_without_a_code_nobody_is_let_in_where_guests_are(
    app: ASGIApp, store: Store, caller: str
) -> None:
    """Whatever they may do with the chat."""
    asking, _ = await _scene(app, store, CALLERS[caller])

    for path in OF_GUESTS:
        answer = await asking.get(path_at(path, "1"))
        assert (answer.status, answer.error["code"]) == (404, "link_not_found"), path
    for path in STREAMS_OF_GUESTS:
        over_sse = await asking.ask("GET", path, headers={"accept": "text/event-stream"})
        assert (over_sse.status, over_sse.error["code"]) == (404, "link_not_found"), path
        began = await opened(app, path, asking.token)
        assert (began["status"], b"link_not_found" in began["body"]) == (404, True), path


@proves("people", 19)
async def test_a_guest_may_read_and_where_the_policy_is_off_there_is_nothing(
    app: ASGIApp, store: Store, client: Client
) -> None:
    chat_id = (await client.start_chat())["id"]
    code = (await make_link(client, chat_id))["code"]

    assert await Guest(app, code).is_let_in()
    assert (await Guest(app, code).over_websocket())["type"] == "websocket.accept"
    assert not await Guest(build(store, limits=PLENTY), code).is_let_in()
    assert permit(CALLERS["viewer"].standing, Deed.CHAT_READ, Relation.GUEST) == Hide()


async def test_no_method_but_get_is_there_for_guests(app: ASGIApp, client: Client) -> None:
    chat_id = (await client.start_chat())["id"]
    guest = Guest(app, (await make_link(client, chat_id))["code"])

    for path in (*OF_GUESTS, *STREAMS_OF_GUESTS):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = await Client(app).ask(method, path_at(path, "1"), b"{}", headers=guest.headers)
            assert answer.status == 405, (method, path)


@pytest.fixture
async def beside(app: ASGIApp, store: Store, client: Client, owner: UserId) -> Mapping[str, dict[str, str]]:
    """What else may be shown, each of it good: as the owner, or as a service for somebody."""
    code = await new_code(store.db, owner, Purpose.TERMINAL)
    own_page = {**HOST, "origin": "http://chatd.example"}
    signed_in = await Client(app).ask(
        "POST", "/api/v1/auth/exchange", _json({"code": code}), headers=own_page
    )
    return {
        "cookie": {**own_page, "cookie": signed_in.headers["set-cookie"].partition(";")[0]},
        "proxy": {**own_page, "x-remote-user": "owner"},
        "token": {"authorization": f"Bearer {client.token}"},
    }


@pytest.mark.parametrize("way", ["cookie", "proxy"])
async def test_what_a_browser_or_a_proxy_adds_does_not_count_beside_a_code(
    app: ASGIApp, client: Client, beside: Mapping[str, dict[str, str]], way: str
) -> None:
    chat_id = (await client.start_chat())["id"]
    code = (await make_link(client, chat_id))["code"]

    good = {**beside[way], "authorization": f"Guest {code}"}
    wrong = {**beside[way], "authorization": "Guest wrong"}
    for path in OF_GUESTS[:1]:
        assert (await Client(app).ask("GET", path, headers=good)).status == 200
        assert (await Client(app).ask("GET", path, headers=wrong)).status == 404
        assert (await Client(app).ask("GET", path, headers=beside[way])).status == 404
    # Nor does a code beside a good cookie open what is the owner's.
    for headers in (good, wrong):
        assert (await Client(app).ask("GET", f"/api/v1/chats/{chat_id}", headers=headers)).status == 401
    assert (await Client(app).ask("GET", f"/api/v1/chats/{chat_id}", headers=beside[way])).status == 200


async def test_a_code_and_a_token_in_one_request_are_neither(
    app: ASGIApp, client: Client, beside: Mapping[str, dict[str, str]]
) -> None:
    chat_id = (await client.start_chat())["id"]
    guest, token = f"Guest {(await make_link(client, chat_id))['code']}", beside["token"]["authorization"]

    for both in ([guest, token], [token, guest], [guest, guest]):
        answer = await Client(app).ask("GET", f"{PUBLIC}/chat", headers={"authorization": both})
        assert (answer.status, answer.error["code"]) == (404, "link_not_found"), both
    for_somebody = {"authorization": guest, "x-chatd-user": "customer"}
    assert (await Client(app).ask("GET", f"{PUBLIC}/chat", headers=for_somebody)).status == 404
