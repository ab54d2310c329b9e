"""Servers that share a database have a token each: those of servers that are gone do not pile up."""

import asyncio
from pathlib import Path

import pytest

from chatd.accounts.admin import AdminToken, ensure_admin, keep_admin_token
from chatd.accounts.tokens.server_tokens import KEEP_SECONDS, LEFT_SECONDS, QUIET_MAX, QUIET_SECONDS
from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import user_named, user_of_token
from chatd.storage.database import Database
from chatd.storage.queries import SqlEngine
from chatd.storage.reads.audit import AuditFilter, read_audit
from tests.clock import MovedClock
from tests.support.watched_database import WatchedDatabase

HOUR_SECONDS = 3600.0
PATIENCE_SECONDS = 60


class Replicas:
    """Servers of one database, each with a directory of its own."""

    def __init__(self, db: Database, folder: Path) -> None:
        self.db = db
        self._folder = folder

    async def start(self, name: str, given: str | None = None) -> AdminToken:
        (self._folder / name).mkdir(exist_ok=True)
        return await ensure_admin(self.db, self._folder / name, given)

    async def has(self, *names: str) -> list[bool]:
        """Whether the tokens of these still count."""
        tokens = [(self._folder / name / "admin-token").read_text().strip() for name in names]
        return [await user_of_token(self.db, token) is not None for token in tokens]


@pytest.fixture
def replicas(database: Database, tmp_path: Path) -> Replicas:
    if database.engine is SqlEngine.SQLITE:
        pytest.skip("SQLite has one server, whose token is the only one.")
    return Replicas(database, tmp_path)


async def until_noted(clock: MovedClock, seconds: float) -> None:
    """Time passes for a server that lives."""
    for _ in range(int(seconds / KEEP_SECONDS)):
        await clock.advance(KEEP_SECONDS)
        await asyncio.sleep(0)


async def test_the_token_of_a_server_that_is_gone_for_a_day_goes_with_the_next_start(
    replicas: Replicas, clock: MovedClock
) -> None:
    await replicas.start("gone")
    await clock.advance(LEFT_SECONDS - HOUR_SECONDS)
    await replicas.start("newer")
    assert await replicas.has("gone", "newer") == [True, True]

    await clock.advance(2 * HOUR_SECONDS)
    await replicas.start("newest")

    assert await replicas.has("gone", "newer", "newest") == [False, True, True]
    told = await read_audit(replicas.db, AuditFilter(deed="token.revoke"), settled_micros=-1)
    assert [(row.actor_id, row.via) for row in told] == [(None, "server")]
    # Who has kept its directory is there again.
    await replicas.start("gone")
    assert await replicas.has("gone") == [True]


async def test_a_server_that_lives_keeps_its_token_however_many_start(
    replicas: Replicas, clock: MovedClock
) -> None:
    token = await replicas.start("lives")
    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(keep_admin_token(replicas.db, clock, token))
        await asyncio.sleep(0)
        for number in range(3):
            await until_noted(clock, LEFT_SECONDS)
            await replicas.start(str(number))
            assert await replicas.has("lives") == [True]
        keeping.cancel()


async def test_a_server_that_starts_again_and_again_leaves_only_so_many(
    replicas: Replicas, clock: MovedClock
) -> None:
    count = QUIET_MAX + 5
    for number in range(count):
        await replicas.start(str(number))
        await clock.advance(1)
    await clock.advance(QUIET_SECONDS)

    await replicas.start("last")

    left = await replicas.has(*map(str, range(count)))
    assert left == [False] * 5 + [True] * QUIET_MAX


async def test_a_token_that_somebody_uses_and_those_of_people_stay(
    replicas: Replicas, clock: MovedClock
) -> None:
    await replicas.start("used")
    admin = await user_named(replicas.db, "admin")
    assert admin is not None
    own = await create_token(replicas.db, admin.id, "laptop")
    await clock.advance(LEFT_SECONDS)
    row = await replicas.db.read(lambda tx: tx.all("tokens_of_user", admin.id))
    for token_id in [each[0] for each in row]:
        await replicas.db.write(lambda tx, token_id=token_id: tx.run("use_token", token_id))  # type: ignore[misc]
    await clock.advance(HOUR_SECONDS)

    await replicas.start("newer")
    assert await replicas.has("used") == [True]

    await clock.advance(LEFT_SECONDS)
    await replicas.start("newest")
    assert await replicas.has("used") == [False]
    assert await user_of_token(replicas.db, own) is not None


async def test_a_server_that_was_cut_off_for_long_has_its_token_again(
    replicas: Replicas, clock: MovedClock
) -> None:
    token, db = await replicas.start("lives"), WatchedDatabase(replicas.db)
    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(keep_admin_token(db, clock, token))
        await asyncio.sleep(0)
        db.is_away = True
        await until_noted(clock, LEFT_SECONDS + HOUR_SECONDS)
        await replicas.start("other")
        assert await replicas.has("lives") == [False]

        db.is_away = False
        await clock.advance(KEEP_SECONDS)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await replicas.has("lives") == [False]:  # noqa: ASYNC110 - it is known when it is so
                await asyncio.sleep(0)
        keeping.cancel()


async def test_a_token_that_was_revoked_stays_so_while_its_server_lives(
    replicas: Replicas, clock: MovedClock
) -> None:
    token = await replicas.start("lives")
    assert token.hash is not None
    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(keep_admin_token(replicas.db, clock, token))
        await asyncio.sleep(0)
        await replicas.db.write(lambda tx: tx.script("DELETE FROM tokens;"))
        await clock.advance(KEEP_SECONDS)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.wait([keeping])

    assert await replicas.has("lives") == [False]
