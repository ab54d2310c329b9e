"""How PostgreSQL finds what is read often: by an index, and not by going through all there is."""

import json
from collections.abc import AsyncIterator

import asyncpg
import pytest

from chatd.hints.memory import MemoryBus
from chatd.storage.queries import SqlEngine, queries_for
from chatd.storage.transactions.transact import Store, create_chat
from tests.clock import MovedClock
from tests.conftest import empty_postgres
from tests.words import create, user

# Long episodes in many chats: without the index, this is what is read for each further word.
EPISODES = """
    INSERT INTO logged_parts (chat_id, history, attempt, first_seq, count, parts)
    SELECT 'chat ' || chat, 1, 1, batch, 1, '[]'
      FROM generate_series(1, 50) chat, generate_series(1, 300) batch;
    ANALYZE logged_parts;
"""


@pytest.fixture
async def spoken(postgres_url: str, clock: MovedClock) -> AsyncIterator[str]:
    async with empty_postgres(postgres_url, clock) as db:
        await db.write(lambda tx: tx.script(EPISODES))
        yield postgres_url


async def plan_of(url: str, query: str, *values: object) -> str:
    raw = await asyncpg.connect(url)
    try:
        rows = await raw.fetch(f"EXPLAIN {queries_for(SqlEngine.POSTGRES)[query]}", *values)
    finally:
        await raw.close()
    return "\n".join(line for (line,) in rows)


async def test_what_another_server_has_logged_is_looked_up_by_its_place(spoken: str) -> None:
    places = json.dumps([[f"chat {number}", 1, 1, 299] for number in range(1, 51)])

    plan = await plan_of(spoken, "logged_parts_of_episodes", places, 1_000_000)

    assert "Seq Scan on logged_parts" not in plan, plan


async def test_the_beginning_of_an_episode_is_looked_up_for_each_further_batch(spoken: str) -> None:
    batches = json.dumps([[f"chat {number}", 1, 1, 301, 1, "[]"] for number in range(1, 51)])

    plan = await plan_of(spoken, "log_parts", batches)

    assert "Seq Scan on logged_parts" not in plan, plan


# Of many users a few each, like the one that is there.
CHATS = """
    INSERT INTO users (id, name, name_key, role, created_at)
    SELECT 'user ' || number, 'user ' || number, 'user ' || number, 'member', 0
      FROM generate_series(0, 499) number;
    INSERT INTO chats
    SELECT (jsonb_populate_record(c, jsonb_build_object('id', n::text, 'owner_id', 'user ' || n % 500))).*
      FROM chats c, generate_series(1, 10000) n;
    ANALYZE chats;
"""


async def test_what_is_one_users_is_not_looked_for_among_what_is_everybodys(
    postgres_url: str, clock: MovedClock
) -> None:
    """Every watcher of a list compares its chats every few seconds."""
    async with empty_postgres(postgres_url, clock) as db:
        await create_chat(Store(db, MemoryBus()), create(user("hello")))
        await db.write(lambda tx: tx.script(CHATS))

        plan = await plan_of(postgres_url, "snapshots_of_list", "user 7", 10_000)

    assert "chats_by_owner" in plan, plan


ANNA = (
    "INSERT INTO users (id, name, name_key, role, created_at) VALUES ('anna', 'anna', 'anna', 'member', 0);"
)
# A statement that deletes what has ended, its values, the index that it needs, and 10,000 rows that go on.
ENDED: list[tuple[str, tuple[object, ...], str, str]] = [
    (
        "delete_ended_sign_ins",
        (10,),
        "sign_ins_by_end",
        """
        INSERT INTO sign_ins (id, hash, user_id, method, created_at, used_at, ends_at, address, browser)
        SELECT number, number, 'anna', 'link', 0, 0, 4000000000000000 + number, '', ''
          FROM generate_series(1, 10000) number;
        """,
    ),
    (
        "forget_password_tries",
        (),
        "password_tries_by_end",
        """
        INSERT INTO password_tries (name_hash, failures, since, waits, wait_until, forget_at)
        SELECT number, 1, 0, 0, 0, 4000000000000000 + number FROM generate_series(1, 10000) number;
        """,
    ),
    (
        "delete_expired_oidc_states",
        (),
        "oidc_states_by_end",
        """
        INSERT INTO oidc_states (hash, browser_hash, issuer, return_to, expires_at)
        SELECT number, '', '', '', 4000000000000000 + number FROM generate_series(1, 10000) number;
        """,
    ),
]


@pytest.mark.parametrize(
    ("statement", "values", "index", "rows"), ENDED, ids=[statement for statement, *_ in ENDED]
)
async def test_what_goes_on_is_not_looked_at_for_what_has_ended(
    postgres_url: str, clock: MovedClock, statement: str, values: tuple[object, ...], index: str, rows: str
) -> None:
    """Some of these are deleted at every try of a stranger to sign in."""
    async with empty_postgres(postgres_url, clock) as db:
        await db.write(lambda tx: tx.script(f"{ANNA}{rows}ANALYZE;"))

        plan = await plan_of(postgres_url, statement, *values)

    assert index in plan, plan
    assert "Seq Scan" not in plan, plan
