import pytest

from chatd.api.app import build
from chatd.api.serving.connections.server import bound, local_address_of
from chatd.kit.clock import SystemClock
from chatd.live.live import Live
from chatd.storage.tables.replicas import Replica, beat
from chatd.storage.transactions.transact import Store
from tests.api.client import Client


async def test_anyone_may_ask_how_the_server_is(anonymous: Client) -> None:
    assert (await anonymous.get("/healthz")).json == {"status": "ok"}
    assert (await anonymous.get("/readyz")).json == {"status": "ready"}


@pytest.mark.parametrize(
    ("migration", "status"),
    [("from_the_future", 200), ("from_the_future_without_older_servers", 503)],
)
async def test_a_server_is_ready_on_a_newer_schema_unless_that_says_otherwise(
    anonymous: Client, store: Store, migration: str, status: int
) -> None:
    await store.db.write(lambda tx: tx.run("insert_migration", 9999, migration, 0))

    try:
        assert (await anonymous.get("/readyz")).status == status
    finally:
        await store.db.write(lambda tx: tx.script("DELETE FROM migrations WHERE number = 9999;"))


def test_a_server_that_listens_everywhere_is_found_at_home() -> None:
    with bound("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        hosts = ["0.0.0.0", "::", "192.0.2.1"]  # noqa: S104 - nothing listens there
        assert [local_address_of(host, listener) for host in hosts] == [
            f"http://127.0.0.1:{port}",
            f"http://[::1]:{port}",
            f"http://192.0.2.1:{port}",
        ]


async def test_a_server_that_stops_lives_and_is_not_ready(store: Store) -> None:
    live = Live(store, SystemClock())
    caller = Client(build(store, live))
    assert (await caller.get("/readyz")).status == 200

    live.streams.end()

    answer = await caller.get("/readyz")
    assert (answer.status, answer.error["code"], answer.error["message"]) == (
        503,
        "not_ready",
        "The server is stopping.",
    )
    assert (await caller.get("/healthz")).status == 200


async def test_administrators_see_the_servers_of_the_database(
    admin: Client, client: Client, store: Store
) -> None:
    replica = Replica(id="r", host="desk", version="1.2", address="http://desk", worker_id=None)
    await beat(store.db, replica)

    listed = (await admin.get("/api/v1/replicas")).json["replicas"]
    assert [{**each, "started_at": None, "quiet_ms": None} for each in listed] == [
        {
            "id": "r", "host": "desk", "version": "1.2", "address": "http://desk", "worker_id": None,
            "chats": 0, "started_at": None, "quiet_ms": None,
        }
    ]  # fmt: skip
    assert (await client.get("/api/v1/replicas")).status == 403
