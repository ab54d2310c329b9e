"""A proxy that says who asks: believed from its own address, and for our own page."""

import asyncio
from typing import Any

import pytest
from starlette.types import ASGIApp, Message

from chatd.accounts.users import create_user, user_named
from chatd.accounts.ways_in.declared import ProxyHeader, SignUp
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.serving.proxies.header import NOT_BELIEVED
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Answer, Client
from tests.traceability import proves

PROXY, ELSEWHERE = "10.0.0.1", "192.0.2.9"
ME = "/api/v1/users/me"
HELLO = b'{"content": [{"type": "text", "text": "hello"}]}'
OWN_PAGE = {"host": "example.org", "sec-fetch-site": "same-origin"}


def way(**more: Any) -> ProxyHeader:
    return ProxyHeader(header="X-Remote-User", from_=("10.0.0.0/8",), **more)


def behind(store: Store, *, peer: str = PROXY, **more: Any) -> Client:
    return Client(build(store, proxy_header=way(**more)), address=peer)


@pytest.fixture
def proxy(store: Store) -> Client:
    return behind(store)


async def named(client: Client, name: str | list[str], path: str = ME, **headers: str) -> Answer:
    more = {key.replace("_", "-"): value for key, value in headers.items()}
    return await client.ask("GET", path, headers={"x-remote-user": name, **more})


async def test_a_person_whom_the_proxy_names_is_let_in_and_is_new_once(proxy: Client, store: Store) -> None:
    first, *rest = await asyncio.gather(*(named(proxy, "Anna") for _ in range(4)))

    assert first.json | {"id": ""} == {
        "id": "",
        "name": "Anna",
        "display_name": "",
        "email": None,
        "role": "member",
        "sign_in_id": None,
        "has_password": None,
    }
    assert [each.json for each in rest] == [first.json] * 3
    assert (await named(proxy, "anna")).json["id"] == first.json["id"]


@proves("people", 6)
async def test_without_the_header_or_from_another_peer_nobody_is_let_in(proxy: Client, store: Store) -> None:
    before = NOT_BELIEVED._value.get()

    assert (await proxy.get(ME)).status == 401
    answer = await named(behind(store, peer=ELSEWHERE), "anna")

    assert answer.error["code"] == "unauthenticated"
    assert await user_named(store.db, "anna") is None
    assert NOT_BELIEVED._value.get() == before + 1


async def test_two_names_are_refused_however_they_are_joined(proxy: Client) -> None:
    assert (await named(proxy, ["anna", "olaf"])).error["code"] == "repeated_header"
    assert (await named(proxy, "anna, olaf")).error["code"] == "repeated_header"


@pytest.mark.parametrize("name", ["", "  ", "a" * 101, "an\x7fna"])
async def test_what_is_no_name_is_refused(proxy: Client, name: str) -> None:
    assert (await named(proxy, name)).status == 401


async def test_a_name_is_read_as_utf_8(proxy: Client) -> None:
    assert (await named(proxy, "Ján".encode().decode("latin-1"))).json["name"] == "Ján"


async def test_a_proxy_with_a_secret_has_to_send_it(store: Store) -> None:
    proxy = behind(store, secret="as the settings have it")

    assert (await named(proxy, "anna")).status == 401
    assert (await named(proxy, "anna", x_chatd_proxy_secret="something else")).status == 401
    assert (await named(proxy, "anna", x_chatd_proxy_secret="as the settings have it")).status == 200


async def test_a_header_makes_no_administrator_and_joins_none(proxy: Client, store: Store) -> None:
    await create_user(store.db, "admin", UserRole.ADMIN)

    assert (await named(proxy, "admin")).status == 401
    assert (await named(proxy, "Admin")).status == 401


async def test_who_came_by_the_header_before_can_be_made_an_administrator(
    proxy: Client, store: Store, admin: Client
) -> None:
    anna = (await named(proxy, "anna")).json["id"]

    assert (await admin.patch(f"/api/v1/users/{anna}", {"role": "admin"})).status == 200

    assert (await named(behind(store), "anna")).json["role"] == "admin"


async def test_a_user_who_was_invited_is_the_one_of_that_name(store: Store) -> None:
    proxy = behind(store, sign_up=SignUp.INVITED)
    assert (await named(proxy, "anna")).status == 401

    anna = await create_user(store.db, "Anna", UserRole.VIEWER)

    assert (await named(proxy, "anna")).json["id"] == anna.id
    assert (await named(proxy, "olaf")).status == 401


async def test_a_suspended_user_is_told_so_and_a_deleted_one_begins_anew(
    store: Store, proxy: Client, admin: Client
) -> None:
    anna = (await named(proxy, "anna")).json["id"]
    await admin.post(f"/api/v1/users/{anna}/suspend", {})
    assert (await named(behind(store), "anna")).error["code"] == "account_suspended"

    await admin.delete(f"/api/v1/users/{anna}?chats=archive")

    assert (await named(behind(store), "anna")).json["id"] != anna


@proves("people", 5)
@pytest.mark.parametrize(
    "sent", [{}, {"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example", "host": "example.org"}]
)
async def test_a_page_of_others_does_nothing_with_what_the_proxy_adds(
    proxy: Client, store: Store, sent: dict[str, str]
) -> None:
    headers = {"x-remote-user": "anna", **sent}

    answer = await proxy.ask("POST", CHATS, HELLO, headers=headers)

    assert answer.error["code"] == "cross_site"
    assert await user_named(store.db, "anna") is None
    assert await opened(build(store, proxy_header=way()), headers) == 403


async def test_our_own_page_does(proxy: Client, store: Store) -> None:
    headers = {"x-remote-user": "anna", **OWN_PAGE}

    assert (await proxy.ask("POST", CHATS, HELLO, headers=headers)).status == 201
    assert await opened(build(store, proxy_header=way()), headers) == "accepted"


async def test_the_name_of_a_user_is_no_token(proxy: Client) -> None:
    assert (await named(proxy, "anna")).status == 200

    assert (await proxy.ask("GET", ME, headers={"authorization": "Bearer anna"})).status == 401
    assert (await proxy.ask("GET", ME, headers={"cookie": "chatd=anna"})).status == 401


async def test_a_token_or_a_cookie_that_is_wrong_is_refused_although_the_proxy_names_a_user(
    proxy: Client,
) -> None:
    assert (await named(proxy, "anna", authorization="Bearer wrong")).status == 401
    answer = await named(proxy, "anna", cookie="chatd=ended")

    assert answer.status == 401
    # The browser forgets it, so that the header counts from then on.
    assert "Max-Age=0" in answer.headers["set-cookie"]


async def test_the_cookie_of_a_sign_in_counts_before_the_header(
    proxy: Client, store: Store, owner: UserId
) -> None:
    code = await new_code(store.db, owner, Purpose.TERMINAL)
    signed_in = await proxy.ask(
        "POST", "/api/v1/auth/exchange", b'{"code": "%s"}' % code.encode(), headers=OWN_PAGE
    )

    answer = await named(proxy, "anna", cookie=signed_in.headers["set-cookie"].partition(";")[0])

    assert answer.json["id"] == owner


@proves("people", 11)
async def test_the_groups_are_those_that_the_proxy_names_beside_those_made_here(store: Store) -> None:
    proxy = behind(store, groups_header="X-Remote-Groups")
    anna = (await named(proxy, "anna", x_remote_groups="Staff, berlin")).json["id"]
    await local_group(store, "here", anna)
    assert await groups_of(store, anna) == ["berlin", "here", "staff"]

    await named(proxy, "anna", x_remote_groups="berlin,here")
    assert await groups_of(store, anna) == ["berlin", "here"]

    await named(proxy, "anna", x_remote_groups="")
    assert await groups_of(store, anna) == ["here"]


async def local_group(store: Store, name: str, member: str) -> None:
    group = "INSERT INTO groups (id, name, name_key, source, created_at) VALUES"
    membership = "INSERT INTO group_members (group_id, user_id, source, created_at) VALUES"
    made = f"{group} ('{name}', '{name}', '{name}', 'local', 0);"
    joined = f"{membership} ('{name}', '{member}', 'local', 0);"
    await store.db.write(lambda tx: tx.script(made + joined))


async def groups_of(store: Store, user_id: str) -> list[str]:
    rows = await store.db.read(lambda tx: tx.all("memberships_of", user_id))
    return sorted(row[1] for row in rows)


async def opened(app: ASGIApp, headers: dict[str, str]) -> int | str:
    """A WebSocket of the list of chats, and how it was answered."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"} if not sent else {"type": "websocket.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "path": "/api/v1/chats/watch",
        "raw_path": b"/api/v1/chats/watch",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": (PROXY, 1),
        "subprotocols": [],
    }
    await app(scope, receive, send)
    return "accepted" if sent[0]["type"] == "websocket.accept" else int(sent[0]["status"])
