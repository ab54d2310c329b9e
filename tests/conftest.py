"""A fresh database for each test, of both kinds, with a clock that tests move."""

import asyncio
import gc
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
from hypothesis import HealthCheck, Phase, settings

from chatd.domain.ids import UserId
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Database
from chatd.storage.migrate import migrate
from chatd.storage.postgres.database import open_postgres
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock
from tests.support.forked import fork_instead, stop_forking
from tests.support.loopback import stay_on_loopback
from tools.postgres import URL_VARIABLE, postgres_for_tests

# Examples are drawn the same way each time: a red run is red for everyone. No example is timed.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
    report_multiple_bugs=False,
)
# For a first look at a failure: shrinking a long story to a short one can take minutes.
settings.register_profile("unshrunk", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

OWNER = UserId("owner")

_server = ExitStack()


def pytest_configure(config: pytest.Config) -> None:
    """With several workers, one PostgreSQL serves them all."""
    stay_on_loopback()
    fork_instead()
    # A shell ignores it for what runs in the background, and so would the programs that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    several = getattr(config.option, "numprocesses", None)
    if several and not os.environ.get(URL_VARIABLE):
        os.environ[URL_VARIABLE] = _server.enter_context(postgres_for_tests())


def pytest_collection_finish() -> None:
    """What is imported and collected by now stays: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    stop_forking()
    _server.close()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with postgres_for_tests() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url(postgres_server: str, worker_id: str) -> str:
    """An empty database of this worker's own, migrated, with a clock that tests can move."""
    name = f"chatd_{worker_id}_{os.getpid()}"
    url = urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))

    async def prepare() -> None:
        server = await asyncpg.connect(postgres_server)
        try:
            await server.execute(f'CREATE DATABASE "{name}"')
        finally:
            await server.close()
        async with open_postgres(url) as db:
            await migrate(db)
            await db.write(lambda tx: tx.script(MovedClock.INSTALL))

    asyncio.run(prepare())
    return url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy."""
    path = tmp_path_factory.mktemp("template") / "chatd.db"

    async def prepare() -> None:
        async with open_sqlite(path, now_micros=MovedClock().now_micros, inline=True) as db:
            await migrate(db)
            await db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))

    asyncio.run(prepare())
    return path


@asynccontextmanager
async def empty_postgres(url: str, clock: MovedClock) -> AsyncIterator[Database]:
    """This worker's database, with nothing in it. Deleting is far quicker than a new one."""
    async with open_postgres(url) as db:
        await db.write(
            lambda tx: tx.script(
                "DELETE FROM chats; DELETE FROM workers; DELETE FROM files; DELETE FROM logged_parts;"
                "DELETE FROM working_copies; DELETE FROM replicas; DELETE FROM chores;"
                "DELETE FROM audit; DELETE FROM audit_seals;"
            )
        )
        await db.write(
            lambda tx: tx.script(
                "DELETE FROM providers; DELETE FROM models; DELETE FROM settings; DELETE FROM mcp_servers;"
            )
        )
        await db.write(
            lambda tx: tx.script(
                "DELETE FROM services; DELETE FROM groups; DELETE FROM tokens; DELETE FROM users;"
                "DELETE FROM password_tries; DELETE FROM oidc_states;"
            )
        )
        await db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))
        await clock.govern(db)
        yield db


@asynccontextmanager
async def empty_sqlite(
    template: Path, path: Path, clock: MovedClock, *, inline: bool = False
) -> AsyncIterator[Database]:
    shutil.copy(template, path)
    async with open_sqlite(path, now_micros=clock.now_micros, inline=inline) as db:
        yield db


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> Path | str:
    """Where a database comes from: a template to copy, or an address. Only what is asked for is made."""
    source: Path | str = request.getfixturevalue(
        "sqlite_template" if request.param == "sqlite" else "postgres_url"
    )
    return source


@pytest.fixture
async def database(place: Path | str, tmp_path: Path, clock: MovedClock) -> AsyncIterator[Database]:
    """Every test that asks for it runs on both."""
    if isinstance(place, Path):
        async with empty_sqlite(place, tmp_path / "chatd.db", clock) as db:
            yield db
    else:
        async with empty_postgres(place, clock) as db:
            yield db


@pytest.fixture
def bus() -> MemoryBus:
    return MemoryBus()


@pytest.fixture
def store(database: Database, bus: MemoryBus) -> Store:
    return Store(database, bus)


@pytest.fixture
def owner() -> UserId:
    return OWNER
