"""Schemas move forward, with data in them, and never backward."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from chatd.accounts.admin import FROM_FILE
from chatd.accounts.tokens.shown import shown_token
from chatd.accounts.users import User, user_named
from chatd.domain.call import CallState
from chatd.domain.ids import ChatId, UserId
from chatd.domain.message import Usage, text
from chatd.domain.people.roles import UserRole
from chatd.domain.people.scopes import ALL_SCOPES
from chatd.domain.setup import NO_SETUP, ClientTool
from chatd.domain.usage.totals import Totals
from chatd.errors import Unusable
from chatd.hints.memory import MemoryBus
from chatd.storage import migrate as migrating
from chatd.storage.database import Database
from chatd.storage.migrate import WITHOUT_OLDER_SERVERS, Migration, check_schema, migrate, migrations_for
from chatd.storage.postgres.database import open_postgres
from chatd.storage.queries import SqlEngine
from chatd.storage.reads.read import read_chat, read_everything
from chatd.storage.rows import charge_of
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store, delete_chat, transact
from tests.clock import MovedClock
from tests.words import answers, says, step, words_of

CHAT = ChatId("chat")
# Never changed: some database out there looks like this.
AT_0003 = Path(__file__).parent / "golden" / "at_0003.sql"
A_USER = "INSERT INTO users (id, name, role, created_at) VALUES ('owner', 'owner', 'member', 1);"
NUMBERS = [migration.number for migration in migrations_for(SqlEngine.SQLITE)]
NEWEST = NUMBERS[-1]


@pytest.fixture(params=["sqlite", "postgres"])
async def blank(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: str, clock: MovedClock, worker_id: str
) -> AsyncIterator[Database]:
    """A database with nothing in it, not even a schema."""
    if request.param == "sqlite":
        async with open_sqlite(tmp_path / "chatd.db", now_micros=clock.now_micros) as db:
            yield db
        return
    name = f"blank_{worker_id}"
    server = await asyncpg.connect(postgres_server)
    await server.execute(f'DROP DATABASE IF EXISTS "{name}"')
    await server.execute(f'CREATE DATABASE "{name}"')
    await server.close()
    async with open_postgres(urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))) as db:
        yield db


async def test_a_blank_database_is_brought_up_to_date_once(blank: Database) -> None:
    applied = await migrate(blank)
    again = await migrate(blank)

    assert [migration.number for migration in applied] == NUMBERS
    assert again == []
    await check_schema(blank)


async def test_both_databases_have_the_same_migrations() -> None:
    numbers = {engine: [(m.number, m.name) for m in migrations_for(engine)] for engine in SqlEngine}

    assert numbers[SqlEngine.SQLITE] == numbers[SqlEngine.POSTGRES]


async def test_a_chat_of_an_old_database_is_still_there_and_goes_on(blank: Database) -> None:
    """From migration 3, with a chat in it that is half answered, to the newest."""
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))

    applied = await migrate(blank)

    assert [migration.number for migration in applied] == [number for number in NUMBERS if number > 3]
    stored = await read_everything(blank, CHAT)
    assert stored is not None
    assert [words_of(message) for message in stored.messages] == ["user: hello", "assistant: let me, calls a"]
    assert [(call.id, call.state) for call in stored.calls] == [("a", CallState.OPEN)]
    assert [text(queued) for queued in stored.queue] == ["later"]
    assert stored.chat.projection.last_id == 2
    reply = stored.messages[1]
    assert (reply.cost, reply.paused, reply.cut_off) == (None, False, False)
    done = await transact(Store(blank, MemoryBus()), CHAT, step(answers("a"), says("there you are")))
    assert words_of(done.appended[-1]) == "assistant: there you are"


async def test_keeping_the_catalog_leaves_the_users_of_before_as_they_were(blank: Database) -> None:
    """From migration 3, with a user in it, to migration 4."""
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(A_USER))

    applied = await migrate(blank, up_to=4)

    assert [migration.number for migration in applied] == [4]
    await blank.write(lambda tx: tx.run("save_user_setting", "owner", "prompt", "{}"))
    row = await blank.read(lambda tx: tx.one("user_setting", "owner", "prompt"))
    assert row is not None
    assert row[0] == "{}"


async def test_keeping_debug_records_leaves_the_chats_of_before_as_they_were(blank: Database) -> None:
    """From migration 6, with a chat in it, to migration 7."""
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))
    await migrate(blank, up_to=6)

    applied = await migrate(blank, up_to=7)

    assert [migration.number for migration in applied] == [7]
    run = ("run", CHAT, "runner", "turn", "some", "some/model", 1, 1, "{}")
    await blank.write(lambda tx: tx.run("insert_debug_run", *run))
    # Chats are read as they are stored now.
    await migrate(blank)
    await delete_chat(Store(blank, MemoryBus()), CHAT)
    assert await blank.read(lambda tx: tx.one("debug_run", "run", CHAT)) is None


PAID = """
UPDATE messages SET usage = '{"input_tokens":70,"context_limit":9}', cost_micros = 300 WHERE id = 2;
INSERT INTO charges (chat_id, history, attempt, created_at, model, operation, fate, usage, cost_micros)
VALUES ('chat', 1, 1, 0, 'p/m', 'reply', 'empty', '{"input_tokens":7,"web_searches":1}', 20),
       ('chat', 1, 2, 0, 'p/m', 'reply', 'failed', NULL, NULL);
"""
PLAIN_CHAT = """
INSERT INTO chats (id, owner_id, created_at, updated_at, status, archived, snapshot_version, history_version,
                   queue_version, retry_version, attempt, projection, queued, open_calls,
                   branch, branch_count, last_number, title, title_folded, labels, pin_order,
                   client_tool_names, client_tools)
VALUES ('unpaid', 'owner', 0, 0, 'waiting', FALSE, 1, 1, 0, 0, 0, '{}', 0, 0, 1, 1,
        0, '', '', '{}', 0, '[]', '[]');
"""


async def test_chats_of_before_get_the_totals_of_what_is_stored_of_them(blank: Database) -> None:
    """From migration 10, with messages and charges in it, to migration 11."""
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))
    await migrate(blank, up_to=10)
    await blank.write(lambda tx: tx.script(PAID + PLAIN_CHAT))

    applied = await migrate(blank, up_to=11)

    assert [migration.number for migration in applied] == [11]
    # Chats are read as they are stored now.
    await migrate(blank)
    paid, unpaid = await read_chat(blank, CHAT), await read_chat(blank, ChatId("unpaid"))
    assert paid is not None
    assert paid.totals == Totals(usage=Usage(input_tokens=77, web_searches=1), cost_micros=320, unpriced=1)
    assert unpaid is not None
    assert unpaid.totals == Totals()


async def test_charges_of_before_are_the_first_ones_of_their_attempts(blank: Database) -> None:
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))
    await migrate(blank, up_to=10)
    await blank.write(lambda tx: tx.script(PAID))

    await migrate(blank)

    rows = await blank.read(lambda tx: tx.all("charges_of_chat", CHAT))
    assert [(charge.attempt, charge.number, charge.fate) for charge in map(charge_of, rows)] == [
        (1, 0, "empty"),
        (2, 0, "failed"),
    ]


async def test_chats_of_before_keep_their_client_tools(blank: Database) -> None:
    """With a chat that has client tools and one that has none."""
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))
    number = next(m.number for m in migrations_for(blank.engine) if m.name == "keep_setups")
    await migrate(blank, up_to=number - 1)
    tools = (
        """UPDATE chats SET client_tools = '[{"name":"tab","description":"","input_schema":{"a":"''é"}}]';"""
    )
    await blank.write(lambda tx: tx.script(tools + PLAIN_CHAT))

    applied = await migrate(blank, up_to=number)

    assert [migration.number for migration in applied] == [number]
    await migrate(blank)
    kept, plain = await read_everything(blank, CHAT), await read_everything(blank, ChatId("unpaid"))
    assert kept is not None
    assert kept.setup.client_tools == (ClientTool(name="tab", input_schema={"a": "'é"}),)
    assert kept.chat.versions.setup == kept.chat.versions.snapshot
    assert plain is not None
    assert (plain.setup, plain.chat.versions.setup) == (NO_SETUP, 0)


async def test_calls_of_before_have_no_request_and_chats_no_rules(blank: Database) -> None:
    """From migration 3, with an open call in it."""
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))

    await migrate(blank)

    stored = await read_everything(blank, CHAT)
    assert stored is not None
    assert ([each.request for each in stored.calls], stored.rules) == ([None], ())
    assert [each.decided_at for each in stored.calls] == [None]


async def test_chats_of_before_are_told_nothing_of_a_workspace(blank: Database) -> None:
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))

    await migrate(blank)

    stored = await read_everything(blank, CHAT)
    assert stored is not None
    assert (stored.chat.context, stored.resources) == (None, ())


async def test_chats_of_before_are_taken_for_read(blank: Database) -> None:
    await migrate(blank, up_to=3)
    await blank.write(lambda tx: tx.script(AT_0003.read_text(encoding="utf-8")))

    await migrate(blank)

    stored = await read_everything(blank, CHAT)
    assert stored is not None
    assert (stored.chat.read_id, stored.chat.has_unread) == (stored.chat.last_number, False)


async def test_a_server_does_not_start_on_a_database_of_a_newer_program(blank: Database) -> None:
    await migrate(blank)
    await blank.write(lambda tx: tx.run("insert_migration", NEWEST + 1, "from_the_future", 0))

    with pytest.raises(Unusable, match=f"at migration {NEWEST + 1:04d}.*A newer version wrote it"):
        await migrate(blank)


async def test_a_server_that_runs_goes_on_while_a_newer_one_migrates(blank: Database) -> None:
    await migrate(blank)
    await blank.write(lambda tx: tx.run("insert_migration", NEWEST + 1, "from_the_future", 0))

    await check_schema(blank, or_newer=True)
    with pytest.raises(Unusable, match="A newer version wrote it"):
        await check_schema(blank)


async def test_a_server_that_runs_is_shut_out_by_a_migration_that_says_so(blank: Database) -> None:
    await migrate(blank)
    breaking = f"split_names{WITHOUT_OLDER_SERVERS}"
    await blank.write(lambda tx: tx.run("insert_migration", NEWEST + 1, breaking, 0))
    await blank.write(lambda tx: tx.run("insert_migration", NEWEST + 2, "from_the_future", 0))

    with pytest.raises(Unusable, match="A newer version wrote it"):
        await check_schema(blank, or_newer=True)


async def test_a_database_that_is_behind_says_what_to_run(blank: Database) -> None:
    with pytest.raises(Unusable, match="Run `chatd migrate`"):
        await check_schema(blank)

    await migrate(blank, up_to=1)
    with pytest.raises(Unusable, match="from 0002 on"):
        await check_schema(blank)


async def test_a_migration_that_fails_leaves_nothing_half_done(
    blank: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(blank)
    good = Migration(NEWEST + 1, "good", ("CREATE TABLE good (id TEXT);",))
    scripts = (
        "CREATE TABLE half (id TEXT); INSERT INTO half VALUES ('a');",
        "INSERT INTO nowhere VALUES (1);",
    )
    bad = Migration(NEWEST + 2, "bad", scripts)
    known = migrations_for(blank.engine)
    monkeypatch.setattr(migrating, "migrations_for", lambda _: [*known, good, bad])

    with pytest.raises(Exception, match="nowhere"):
        await migrate(blank)

    with pytest.raises(Exception, match="good"):
        await blank.write(lambda tx: tx.script("DELETE FROM good;"))
    with pytest.raises(Exception, match="half"):
        await blank.write(lambda tx: tx.script("DELETE FROM half;"))
    with pytest.raises(Unusable, match=rf"lacks 2 migration\(s\), from {NEWEST + 1:04d} on"):
        await check_schema(blank)


@pytest.mark.parametrize("rest", ["CREATE TABLE b (id TEXT)", "SELECT ';'", "-- b;\nSELECT 1"])
async def test_a_statement_without_its_semicolon_is_a_bug(
    tmp_path: Path, clock: MovedClock, rest: str
) -> None:
    async with open_sqlite(tmp_path / "chatd.db", now_micros=clock.now_micros) as db:
        with pytest.raises(AssertionError, match="lacks its semicolon"):
            await db.write(lambda tx: tx.script(f"CREATE TABLE a (id TEXT);\n{rest}"))


async def test_comments_may_follow_the_last_statement(tmp_path: Path, clock: MovedClock) -> None:
    async with open_sqlite(tmp_path / "chatd.db", now_micros=clock.now_micros) as db:
        await db.write(lambda tx: tx.script("CREATE TABLE a (id TEXT); -- one; and\n/* two;\n three */\n"))


OF_BEFORE = """
INSERT INTO users (id, name, role, created_at) VALUES ('u', 'admin', 'admin', 1);
INSERT INTO tokens (hash, user_id, name, created_at)
VALUES ('0123456789abcdef0123', 'u', 'from the data directory', 2);
INSERT INTO sign_ins (id, hash, user_id, method, token_hash, created_at, used_at, ends_at, address, browser)
VALUES ('s', 'sh', 'u', 'token', '0123456789abcdef0123', 3, 4, 5, '::1', 'Firefox');
INSERT INTO sign_in_codes (hash, purpose, user_id, created_at, expires_at)
VALUES ('c', 'terminal', 'u', 6, 7);
"""


async def test_keeping_people_leaves_the_administrator_their_token_and_their_browser(blank: Database) -> None:
    """From migration 32, with one of each in it, to the newest."""
    await migrate(blank, up_to=32)
    await blank.write(lambda tx: tx.script(OF_BEFORE))

    await migrate(blank)

    assert await user_named(blank, "admin") == User(UserId("u"), "admin", UserRole.ADMIN)
    row = await blank.read(lambda tx: tx.one("user_of_token", "0123456789abcdef0123", 0))
    assert row is not None
    shown = shown_token(row)
    assert (shown.id, shown.scopes, shown.expires_at) == ("0123456789abcdef", ALL_SCOPES, None)
    assert shown.lets_browsers_in
    # A sign-in still ends with the token with which it began.
    await blank.write(lambda tx: tx.script("UPDATE sign_ins SET ends_at = 4000000000000000;"))
    assert len(await blank.read(lambda tx: tx.all("sign_ins_of_user", "u"))) == 1
    await blank.write(lambda tx: tx.run("delete_token", "u", "0123456789abcdef"))
    assert await blank.read(lambda tx: tx.all("sign_ins_of_user", "u")) == []


async def test_telling_when_identities_were_used_leaves_those_of_before(blank: Database) -> None:
    """From migration 42, with one in it, to migration 43."""
    await migrate(blank, up_to=42)
    await blank.write(lambda tx: tx.run("insert_user", "u", "anna", "member"))
    await blank.write(lambda tx: tx.one("insert_identity", "https://id.example", "anna", "u"))

    await migrate(blank, up_to=43)

    (row,) = await blank.read(lambda tx: tx.all("identities_of_user", "u", 10))
    assert (row[0], row[1], row[3]) == ("https://id.example", "anna", None)


A_BROWSER_THAT_IS_AWAY = """
INSERT INTO oidc_states (hash, browser_hash, issuer, return_to, expires_at)
VALUES ('s', 'b', 'https://id.example', '/', 4000000000000000);
"""


async def test_bounding_sign_ins_by_address_leaves_browsers_that_are_away_their_way_back(
    blank: Database,
) -> None:
    """From the migration before 41, with one in it, to migration 41. Older servers name no address."""
    await migrate(blank, up_to=40)
    await blank.write(lambda tx: tx.script(A_BROWSER_THAT_IS_AWAY))

    await migrate(blank, up_to=41)
    await blank.write(lambda tx: tx.script(A_BROWSER_THAT_IS_AWAY.replace("'s'", "'t'")))

    for state in ("s", "t"):
        row = await blank.write(lambda tx, state=state: tx.one("take_oidc_state", state, "b"))  # type: ignore[misc]
        assert row is not None
        assert list(row) == ["https://id.example", "/", None]


async def test_telling_which_servers_use_tokens_says_nothing_of_those_of_before(blank: Database) -> None:
    """From the migration before 42, with one in it. It is removed by nobody, and counts on."""
    await migrate(blank, up_to=41)
    await blank.write(lambda tx: tx.run("insert_user", "u", "admin", "admin"))
    await blank.write(lambda tx: tx.one("insert_token", "0123456789abcdef0123", "u", FROM_FILE))

    await migrate(blank, up_to=42)

    await blank.write(lambda tx: tx.all("delete_left_server_tokens", "u", "", 0, 0, 0, 10))
    assert len(await blank.read(lambda tx: tx.all("tokens_of_user", "u"))) == 1
