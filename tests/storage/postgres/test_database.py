"""What is PostgreSQL's own: waiting for a row, connections that are lost, and what of it may be shown."""

import asyncio
import traceback
from collections.abc import AsyncIterator

import asyncpg
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, FileId, MessageId
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.errors import BadInput, Locked, Misconfigured, Unavailable, Unusable
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.migrate import check_schema
from chatd.storage.postgres import connections
from chatd.storage.postgres.database import CONNECTIONS_MAX, open_postgres, place_of
from chatd.storage.reads.read import read_chat, read_history
from chatd.storage.rows import message_values
from chatd.storage.tables import leases
from chatd.storage.tables.files import add_file, read_file
from chatd.storage.transactions import transact
from chatd.storage.transactions.transact import Store, create_chat, delete_chat
from chatd.storage.transactions.write import save_chat
from tests.clock import MovedClock
from tests.conftest import empty_postgres
from tests.storage.postgres.proxy import Mood, proxied
from tests.storage.postgres.waiting import connected, until_standing_still, until_waiting
from tests.words import OWNER, create, lease, send, user

CHAT = ChatId("chat")
FILE = FileId("f")


@pytest.fixture
async def database(postgres_url: str, clock: MovedClock) -> AsyncIterator[Database]:
    async with empty_postgres(postgres_url, clock) as db:
        yield db


@pytest.fixture
def store(database: Database) -> Store:
    return Store(database, MemoryBus())


async def expects(database: Database, setting: str, value: str, *, pace: Pace = Pace.USUAL) -> None:
    script = f"DO $$ BEGIN ASSERT current_setting('{setting}') = '{value}'; END $$"
    await database.write(lambda tx: tx.script(script), pace=pace)


async def keep_file(database: Database) -> None:
    await add_file(database, file_id=FILE, owner_id=OWNER, name="f", media_type="text/plain", data=b"")


def mention(words: str) -> SendMessage:
    return SendMessage(message=user(words, file=FILE), when=When.QUEUE)


async def test_signs_of_life_and_readiness_do_not_wait_behind_a_locked_chat(
    store: Store, database: Database, postgres_url: str
) -> None:
    await create_chat(store, create())

    async with connected(postgres_url) as raw, asyncio.TaskGroup() as group, raw.transaction():
        await raw.execute("SELECT 1 FROM chats WHERE id = $1 FOR UPDATE", CHAT)
        for n in range(CONNECTIONS_MAX):
            group.create_task(transact.transact(store, CHAT, send(str(n))))
        await until_waiting(postgres_url, CONNECTIONS_MAX)

        async with asyncio.timeout(3):
            await leases.beat(database, lease().worker_id)
            await check_schema(database)


async def test_a_file_that_is_being_linked_is_not_deleted_with_another_chat(
    store: Store, database: Database, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep_file(database)
    await create_chat(store, create(user("see", file=FILE), chat_id="goes"))
    await create_chat(store, create(chat_id="stays"))
    linked, go_on = asyncio.Event(), asyncio.Event()

    async def save_slowly(tx: Connection, chat: Chat) -> None:
        await save_chat(tx, chat)
        linked.set()
        await go_on.wait()

    monkeypatch.setattr(transact, "save_chat", save_slowly)
    async with asyncio.TaskGroup() as group:
        group.create_task(transact.transact(store, ChatId("stays"), mention("look")))
        await linked.wait()
        group.create_task(delete_chat(store, ChatId("goes")))
        await until_waiting(postgres_url, 1)
        go_on.set()

    assert await read_file(database, FILE) is not None


async def test_a_file_that_is_deleted_meanwhile_is_not_known_any_more(
    store: Store, database: Database, postgres_url: str
) -> None:
    await keep_file(database)
    await create_chat(store, create())

    async with connected(postgres_url) as raw:
        async with raw.transaction():
            await raw.execute("DELETE FROM files WHERE id = $1", FILE)
            sending = asyncio.create_task(transact.transact(store, CHAT, mention("look")))
            await until_waiting(postgres_url, 1)
        with pytest.raises(BadInput):
            await sending


async def test_whatever_the_database_has_for_a_default_our_transactions_are_what_we_need(
    postgres_url: str,
) -> None:
    defaults = {
        "default_transaction_isolation": "repeatable read",
        "synchronous_commit": "off",
        "lock_timeout": "1ms",
    }
    async with connected(postgres_url) as raw:
        name = await raw.fetchval("SELECT current_database()")
        for setting, value in defaults.items():
            await raw.execute(f"ALTER DATABASE \"{name}\" SET {setting} = '{value}'")
        try:
            async with open_postgres(postgres_url) as db:
                await expects(db, "transaction_isolation", "read committed")
                await expects(db, "synchronous_commit", "on")
                await expects(db, "lock_timeout", "5s")
                await expects(db, "statement_timeout", "30s")
                await expects(db, "idle_in_transaction_session_timeout", "10s")
                await expects(db, "transaction_isolation", "read committed", pace=Pace.URGENT)
        finally:
            for setting in defaults:
                await raw.execute(f'ALTER DATABASE "{name}" RESET {setting}')


async def test_only_a_migration_may_take_its_time(database: Database) -> None:
    await expects(database, "statement_timeout", "1h", pace=Pace.PATIENT)
    await expects(database, "lock_timeout", "1h", pace=Pace.PATIENT)
    await expects(database, "statement_timeout", "30s")


async def test_a_lock_that_does_not_come_is_unavailable(
    store: Store, database: Database, postgres_url: str
) -> None:
    await create_chat(store, create())

    async def body(tx: Connection) -> None:
        await tx.script("SET LOCAL lock_timeout = '1ms'")
        await tx.one("lock_chat", CHAT)

    async with connected(postgres_url) as raw, raw.transaction():
        await raw.execute("SELECT 1 FROM chats WHERE id = $1 FOR UPDATE", CHAT)
        with capture_logs() as logs, pytest.raises(Locked, match="lock timeout"):
            await database.write(body)

    assert [line["event"] for line in logs] == ["database.unavailable"]


@pytest.mark.parametrize("idle_seconds", [0, 60])
async def test_a_lock_of_one_that_hangs_in_the_middle_of_a_statement_is_freed_by_the_next_who_waits(
    store: Store, database: Database, postgres_url: str, idle_seconds: int
) -> None:
    """PostgreSQL has no time-out for it: the statement is prepared, and its arguments do not come."""
    await create_chat(store, create())

    async def hang(tx: Connection) -> None:
        await tx.one("lock_chat", CHAT)
        wire.mood = Mood.UNANSWERED
        await tx.one("now")

    async def take(tx: Connection) -> None:
        await tx.script("SET LOCAL lock_timeout = '1ms'")
        await tx.one("lock_chat", CHAT)

    async with (
        proxied(postgres_url) as wire,
        open_postgres(wire.url) as hanging,
        open_postgres(postgres_url, idle_seconds=idle_seconds) as waiting,
    ):
        stuck = asyncio.create_task(hanging.write(hang))
        await until_standing_still(postgres_url)
        with capture_logs() as logs, pytest.raises(Locked):
            await waiting.write(take)
        ended = "database.hanging_sessions_ended" in [line["event"] for line in logs]
        assert ended is (idle_seconds == 0)
        if ended:
            await waiting.write(lambda tx: tx.one("lock_chat", CHAT))
        wire.cut()
        with pytest.raises(Unavailable):
            await stuck


async def test_a_connection_that_is_lost_is_unavailable_and_the_next_one_is_not(database: Database) -> None:
    for pace in Pace:
        with pytest.raises(Unavailable):
            await database.write(
                lambda tx: tx.script("SELECT pg_terminate_backend(pg_backend_pid())"), pace=pace
            )

        assert await database.write(lambda tx: tx.one("now"), pace=pace) is not None


async def test_a_connection_that_makes_no_sense_is_unavailable_and_the_next_one_is_not(
    postgres_url: str,
) -> None:
    """It ends in an InternalClientError, in the middle of a statement or while asyncpg connects."""
    async with proxied(postgres_url) as proxy, open_postgres(proxy.url) as db:
        proxy.mood = Mood.GARBLED
        for _ in range(3):
            with pytest.raises(Unavailable):
                await db.read(lambda tx: tx.one("now"))

        proxy.mood = Mood.WELL
        assert await db.read(lambda tx: tx.one("now")) is not None


async def test_a_database_that_makes_no_sense_when_it_is_opened_is_named(postgres_url: str) -> None:
    async with proxied(postgres_url) as proxy:
        proxy.mood = Mood.GARBLED
        with pytest.raises(Unusable, match="Cannot reach PostgreSQL at 127"):
            async with open_postgres(proxy.url):
                pass


async def test_a_database_that_has_become_a_standby_is_unavailable(database: Database) -> None:
    async def body(tx: Connection) -> None:
        await tx.script("SET TRANSACTION READ ONLY")
        await tx.run("insert_user", "u", "u", "member")

    with pytest.raises(Unavailable, match="read-only transaction"):
        await database.write(body)


async def test_many_failures_are_one_line_and_their_end_is_another(database: Database) -> None:
    async def lose(tx: Connection) -> None:
        await tx.script("SELECT pg_terminate_backend(pg_backend_pid())")

    with capture_logs() as logs:
        for _ in range(5):
            with pytest.raises(Unavailable):
                await database.write(lose)
        await database.read(lambda tx: tx.one("now"))

    assert [(line["event"], line.get("failures")) for line in logs] == [
        ("database.unavailable", None),
        ("database.available", 5),
    ]


async def test_waiting_for_a_connection_has_an_end(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "ACQUIRE_SECONDS", 0.01)
    taken, go_on = asyncio.Event(), asyncio.Event()

    async def body(_: Connection) -> None:
        taken.set()
        await go_on.wait()

    async with open_postgres(postgres_url, connections_max=1) as db, asyncio.TaskGroup() as group:
        group.create_task(db.write(body))
        await taken.wait()

        with pytest.raises(Unavailable):
            await db.read(lambda tx: tx.one("now"))
        go_on.set()


async def test_a_database_that_is_closed_is_unavailable(postgres_url: str) -> None:
    async with open_postgres(postgres_url) as db:
        pass

    with pytest.raises(Unavailable):
        await db.write(lambda tx: tx.one("now"))


async def test_an_error_does_not_quote_rows(database: Database) -> None:
    # In pieces, because this line is in the traceback.
    user_id = "sec" + "ret"

    async def add(name: str) -> None:
        await database.write(lambda tx: tx.run("insert_user", user_id, name, "member"))

    await add("one")
    with pytest.raises(asyncpg.UniqueViolationError) as error:
        await add("another")

    logged = "".join(traceback.format_exception(error.value))
    assert "secret" not in logged
    assert "SQLSTATE 23505" in logged


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://me:secret@db.example:5433/chats", "db.example:5433/chats"),
        ("postgresql://me@db.example/chats", "db.example:5432/chats"),
        ("postgresql://db.example/chats?password=secret&user=me", "db.example:5432/chats"),
        ("postgresql://me:se@cret@db.example/chats", "db.example:5432/chats"),
        ("postgresql://me@/chats?host=%2Frun%2Fpostgresql", "/run/postgresql:5432/chats"),
        ("postgresql://me:se/cret@db.example/chats", None),
        ("postgresql://me:12/cret@db.example/chats", None),
        ("postgresql://me:12#cret@db.example/chats", None),
        ("postgresql://me:12?cret@db.example/chats", None),
        ("postgresql://db.example/chats?password=se@cret", None),
        ("postgresql://[db.example/secret", None),
        ("postgresql://me:secret", None),
    ],
)
def test_only_the_place_of_a_database_is_shown(url: str, place: str | None) -> None:
    assert place_of(url) == place


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://me:secret@127.0.0.1:1/none", Unusable),
        ("postgresql://127.0.0.1:1/none?password=secret", Unusable),
        ("postgresql://me:se/secret@127.0.0.1:1/none", Misconfigured),
        ("postgresql://me:1/secret@127.0.0.1/none", Unusable),
        ("postgresql://[secret", Misconfigured),
        ("postgresql://me:secret@127.0.0.1:1/none?sslmode=secret", Misconfigured),
    ],
)
async def test_a_database_that_is_not_there_is_told_without_the_password(
    url: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as refused:
        async with open_postgres(url):
            pass

    assert "secret" not in str(refused.value)


async def test_a_read_of_one_query_asks_no_second_one(database: Database) -> None:
    async def body(tx: Connection) -> None:
        await tx.one("now")
        await tx.one("now")

    with pytest.raises(AssertionError, match="promised one"):
        await database.read(body, pace=Pace.ONE_QUERY)


async def test_a_connection_keeps_nothing_of_a_transaction_that_failed(database: Database) -> None:
    async def fail(tx: Connection) -> None:
        await tx.run("insert_user", "u", "u", "member")
        raise RuntimeError("no")

    for _ in range(CONNECTIONS_MAX + 1):
        with pytest.raises(RuntimeError):
            await database.write(fail)

    assert await database.read(lambda tx: tx.one("user_named", "u"), pace=Pace.ONE_QUERY) is None


async def test_a_statement_that_is_held_back_is_seen_by_the_next_query_and_committed(
    store: Store, database: Database
) -> None:
    """The insertion of a message is sent together with the chat's row, if that follows."""
    done = await create_chat(store, create(user("hello")))

    async def again(tx: Connection) -> int:
        await tx.run_many(
            "insert_message", [message_values(CHAT, replace(done.appended[0], id=MessageId(2)))]
        )
        seen = len(await tx.all("history_since", CHAT, 0))
        await tx.run_many(
            "insert_message", [message_values(CHAT, replace(done.appended[0], id=MessageId(3)))]
        )
        return seen

    assert await database.write(again) == 2
    history = await read_history(database, CHAT)
    assert history is not None
    assert [message.id for message in history.messages] == [1, 2, 3]


async def test_a_statement_that_is_held_back_and_refused_undoes_its_transaction(
    store: Store, database: Database
) -> None:
    done = await create_chat(store, create(user("hello")))

    async def twice(tx: Connection) -> None:
        await save_chat(tx, replace(done.chat, last_number=99))
        await tx.run_many("insert_message", [message_values(CHAT, done.appended[0])])

    with pytest.raises(asyncpg.UniqueViolationError):
        await database.write(twice)
    chat = await read_chat(database, CHAT)
    assert chat is not None
    assert chat.last_number == 1
