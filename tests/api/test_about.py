from chatd.storage.transact import Store
from tests.api.client import Client


async def test_anyone_may_ask_how_the_server_is(nobody: Client) -> None:
    assert (await nobody.get("/healthz")).json == {"status": "ok"}
    assert (await nobody.get("/readyz")).json == {"status": "ready"}


async def test_a_database_of_another_version_is_not_ready(nobody: Client, store: Store) -> None:
    await store.db.write(lambda tx: tx.run("insert_migration", 9999, "from_the_future", 0))

    try:
        assert (await nobody.get("/readyz")).status == 503
    finally:
        await store.db.write(lambda tx: tx.script("DELETE FROM migrations WHERE number = 9999;"))
