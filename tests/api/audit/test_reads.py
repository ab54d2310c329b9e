"""What administrators read of others is written down, once an hour; and from where a request came."""

import asyncio
from ipaddress import ip_network

import pytest

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.api.serving.audited.audited_reads import read_of
from chatd.api.serving.origins.sites import Sites
from chatd.api.serving.proxies.forwarded import TrustedProxies
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy, AuditDeed, AuditOutcome, TargetKind, Via
from chatd.domain.people.permit import AdminsRead, Policy
from chatd.domain.people.roles import UserRole
from chatd.storage.reads.audit import AuditFilter, AuditRow, read_audit
from chatd.storage.tables.audit import record_read
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.traceability import proves

SAID = {"content": [{"type": "text", "text": "hello"}]}


async def reads(store: Store) -> list[AuditRow]:
    wanted = AuditFilter(deed=AuditDeed.CHAT_READ.value, outcome=AuditOutcome.DONE)
    return await read_audit(store.db, wanted, settled_micros=-1)


@proves("people", 23)
async def test_an_administrator_who_reads_a_chat_of_another_leaves_a_row_an_hour(
    store: Store, client: Client, owner: UserId, clock: MovedClock
) -> None:
    root = await create_user(store.db, "root", UserRole.ADMIN)
    token = await create_token(store.db, root.id, "test")
    # Two servers, which remember nothing of each other.
    servers = [Client(build(store, now_seconds=clock.monotonic), token) for _ in range(2)]
    chat = await client.start_chat()
    path = f"{CHATS}/{chat['id']}"
    for each in ("", "/messages", "/children"):
        assert (await client.get(path + each)).status == 200
    assert await reads(store) == []

    for server in servers:
        for each in ("", "/messages", "/branches", "/debug/runs", "/stream"):
            assert (await server.get(path + each)).status == 200
        assert (await server.post(f"{path}/messages", SAID)).status == 403

    (row,) = await reads(store)
    assert (row.actor_id, row.target_kind, row.target_id) == (root.id, "chat", chat["id"])
    await clock.advance(3601)
    assert (await servers[0].get(path)).status == 200
    assert len(await reads(store)) == 2


@proves("people", 23)
async def test_where_administrators_read_no_chats_they_still_stop_them(
    store: Store, client: Client, admin: Client
) -> None:
    never = build(store, policy=Policy(admins_read_chats=AdminsRead.NEVER))
    root = Client(never, admin.token)
    chat = await client.start_chat()
    path = f"{CHATS}/{chat['id']}"

    for each in ("", "/messages", "/stream"):
        assert (await root.get(path + each)).status == 403
    assert (await root.post(f"{path}/interrupt", {})).status == 200

    assert await reads(store) == []


async def test_a_file_of_a_chat_of_another_is_written_down_too(
    store: Store, client: Client, admin: Client, stranger: Client
) -> None:
    headers = {"content-type": "text/plain", "content-disposition": 'attachment; filename="a.txt"'}
    file_id = (await client.ask("POST", "/api/v1/files", b"hello", headers=headers)).json["id"]
    await client.start_chat()
    part = {"type": "file", "file_id": file_id, "name": "a.txt"}
    assert (await client.post(CHATS, {"content": [part]})).status == 201

    assert (await client.get(f"/api/v1/files/{file_id}")).status == 200
    assert (await stranger.get(f"/api/v1/files/{file_id}")).status == 404
    assert await reads(store) == []
    for _ in range(2):
        assert (await admin.get(f"/api/v1/files/{file_id}")).status == 200
    assert [(row.target_kind, row.target_id) for row in await reads(store)] == [("file", file_id)]


async def test_of_two_reads_at_once_one_is_written_down(store: Store, owner: UserId) -> None:
    by, entry = AskedBy(via=Via.TOKEN, actor_id=owner), read_of(TargetKind.CHAT, "chat")

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(store.db.write(lambda tx: record_read(tx, by, entry)))

    assert len(await reads(store)) == 1


@proves("people", 8)
@pytest.mark.parametrize(
    ("proxies", "address"),
    [((), "127.0.0.1"), (("192.0.2.0/24",), "127.0.0.1"), (("127.0.0.0/8",), "203.0.113.9")],
)
async def test_the_audit_has_the_peer_unless_the_peer_is_a_proxy_that_is_trusted(
    store: Store, owner: UserId, proxies: tuple[str, ...], address: str
) -> None:
    sites = Sites(proxies=TrustedProxies(tuple(map(ip_network, proxies))))
    client = Client(build(store, sites=sites), await create_token(store.db, owner, "test"))

    forged = {"x-forwarded-for": "198.51.100.7, 203.0.113.9", "forwarded": "for=198.51.100.7"}
    body = b'{"name": "program"}'
    made = await client.ask("POST", "/api/v1/users/me/tokens", body, headers=forged)
    assert made.status == 201

    rows = await read_audit(store.db, AuditFilter(target_id=made.json["id"]), settled_micros=-1)
    assert [row.address for row in rows] == [address]
