import asyncio
import json
import re
import signal
import socket
import sqlite3
import stat
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from chatd import __version__
from chatd.kit.clock import SystemClock
from chatd.storage.migrate import migrate, migrations_for
from chatd.storage.queries import SqlEngine
from chatd.storage.sqlite.database import open_sqlite
from tests.cli.program import chatd, complaint, serving
from tools.metrics import described


async def test_a_server_says_where_it_is_and_answers_there(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", server.address)
        assert await server.ask("GET", "/healthz") == (200, {"status": "ok"})
        assert await server.ask("GET", "/readyz") == (200, {"status": "ready"})

        chat_id = await server.start_chat("Name a planet.")
        path = f"/api/v1/chats/{chat_id}"
        status, chat = await server.ask("PATCH", path, json={"title": "Planets"})
        assert (status, chat["title"], chat["status"]) == (200, "Planets", "running")
        status, page = await server.ask("GET", f"{path}/messages")
        assert [m["content"] for m in page["messages"]] == [[{"type": "text", "text": "Name a planet."}]]
        assert await server.ask("DELETE", path) == (204, None)
        assert await server.ask("GET", "/api/v1/chats") == (200, {"chats": []})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_server_in_order(tmp_path: Path, number: signal.Signals) -> None:
    async with serving(tmp_path) as server:
        await server.start_chat("hello")

        code, output, errors = await server.end(number)

    assert code == 0
    # All that comes after the first line is a link, where there is a page.
    assert output == "" or (output.startswith("Sign in ") and output.count("\n") == 1)
    assert "Traceback" not in errors


async def test_what_a_killed_server_had_accepted_is_there_after_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-worker") as server:
        chat_id = await server.start_chat("Remember me.")
        token = (tmp_path / "data" / "admin-token").read_text()
        before = await server.ask("GET", f"/api/v1/chats/{chat_id}")

        code, _, _ = await server.end(signal.SIGKILL)
        assert code == -signal.SIGKILL

    async with serving(tmp_path, "--no-worker") as server:
        assert (tmp_path / "data" / "admin-token").read_text() == token
        assert await server.ask("GET", f"/api/v1/chats/{chat_id}") == before
        _, page = await server.ask("GET", f"/api/v1/chats/{chat_id}/messages")
        assert [m["content"][0]["text"] for m in page["messages"]] == ["Remember me."]


async def test_a_server_on_postgres_keeps_its_chats_there(tmp_path: Path, postgres_url: str) -> None:
    async with serving(tmp_path, "--database-url", postgres_url) as server:
        chat_id = await server.start_chat("On another machine.")
        assert not (tmp_path / "data" / "chatd.db").exists()
        await server.end(signal.SIGTERM)

    async with serving(tmp_path, more={"CHATD_DATABASE_URL": postgres_url}) as server:
        status, chat = await server.ask("GET", f"/api/v1/chats/{chat_id}")
        assert (status, chat["title"]) == (200, "On another machine.")


async def test_a_server_tells_every_number_that_is_documented(tmp_path: Path, place: Path | str) -> None:
    on_postgres = isinstance(place, str)
    arguments = ("--database-url", str(place)) if on_postgres else ()
    async with (
        serving(tmp_path, *arguments) as server,
        server.session.get(server.address + "/metrics") as answer,
    ):
        told = await answer.text()

    documented = {(each.name.removesuffix("_total"), each.kind) for each in described()}
    families = {
        (name.removesuffix("_total"), kind)
        for name, kind in re.findall(r"^# TYPE (chatd_\w+) (\w+)$", told, re.MULTILINE)
    }
    assert families == documented
    assert f'database="{"postgres" if on_postgres else "sqlite"}"' in told
    assert "process_resident_memory_bytes" in told


async def test_the_token_can_be_given(tmp_path: Path) -> None:
    given = "a-token-that-was-given"
    async with serving(tmp_path, token=given, more={"CHATD_ADMIN_TOKEN": given}) as server:
        assert (await server.ask("GET", "/api/v1/chats"))[0] == 200
        assert (await server.ask("GET", "/api/v1/chats", headers={"Authorization": "Bearer other"}))[0] == 401
    assert not (tmp_path / "data" / "admin-token").exists()


async def test_two_servers_on_one_postgres_each_keep_their_token(tmp_path: Path, postgres_url: str) -> None:
    given = "a-token-that-was-given"
    homes = tmp_path / "one", tmp_path / "two"
    for home in homes:
        home.mkdir()
    shared = {"CHATD_DATABASE_URL": postgres_url}
    async with (
        serving(homes[0], token=given, more={**shared, "CHATD_ADMIN_TOKEN": given}) as first,
        serving(homes[1], more=shared) as second,
    ):
        for server in (first, second):
            assert (await server.ask("GET", "/api/v1/chats"))[0] == 200


async def test_what_the_server_keeps_is_private(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.start_chat("secret")
        data = tmp_path / "data"
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in data.iterdir()} == {0o600}


async def test_the_log_is_json_and_holds_no_secret(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.start_chat("secret words")
        token = (tmp_path / "data" / "admin-token").read_text().strip()
        _, _, errors = await server.end(signal.SIGTERM)

    lines = [json.loads(line) for line in errors.splitlines()]
    (line,) = [line for line in lines if line["event"] == "request.finished"]
    assert (line["route"], line["status"]) == ("/api/v1/chats", 201)
    assert "secret words" not in errors
    assert token not in errors


async def test_the_log_says_when_a_server_starts_and_stops_and_what_it_migrated(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        _, _, first = await server.end(signal.SIGTERM)
    async with serving(tmp_path) as server:
        address = server.address
        _, _, second = await server.end(signal.SIGINT)

    created, started, stopping, stopped = _log(first)
    assert (created["event"], created["migrations"]) == (
        "database.created",
        len(migrations_for(SqlEngine.SQLITE)),
    )
    started, stopping, stopped = _log(second)
    assert (started["event"], stopping["event"], stopped["event"]) == (
        "server.started",
        "server.stopping",
        "server.stopped",
    )
    assert (started["version"], started["address"], started["database"]) == (__version__, address, "sqlite")
    assert stopping["signal"] == "SIGINT"


async def test_the_log_names_what_was_migrated_of_an_older_database(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    async with open_sqlite(tmp_path / "data" / "chatd.db", now_micros=SystemClock().now_micros) as older:
        await migrate(older, up_to=3)

    async with serving(tmp_path) as server:
        _, _, errors = await server.end(signal.SIGTERM)

    applied = [line["number"] for line in _log(errors) if line["event"] == "migration.applied"]
    assert applied == [each.number for each in migrations_for(SqlEngine.SQLITE)][3:]


def _log(lines: str) -> list[dict[str, Any]]:
    """Without what is said where nobody has built the web page."""
    read = (json.loads(line) for line in lines.splitlines())
    return [line for line in read if line["event"] != "page.not_built"]


async def test_a_server_is_found_by_its_data_directory_whatever_its_port(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        chat_id = await server.start_chat("Where are you?")

        run = await asyncio.to_thread(chatd, tmp_path, "ls", "--data-dir", "data")
        assert (run.returncode, chat_id in run.stdout) == (0, True), run.stderr
        elsewhere = await asyncio.to_thread(
            chatd, tmp_path, "ls", "--data-dir", "data", more={"CHATD_URL": "http://127.0.0.1:9"}
        )
        assert "http://127.0.0.1:9" in complaint(elsewhere)

        await server.end(signal.SIGTERM)
    assert not (tmp_path / "data" / "server-address").exists()


async def test_a_killed_server_is_looked_for_where_it_would_be_without_flags(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.end(signal.SIGKILL)
    assert (tmp_path / "data" / "server-address").exists()

    run = chatd(tmp_path, "ls", "--data-dir", "data", more={"CHATD_PORT": "9"})

    assert "http://127.0.0.1:9" in complaint(run)


async def test_a_second_server_on_the_same_directory_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        second = chatd(tmp_path, "serve", "--port", "0", "--data-dir", "data")

        assert second.returncode == 1
        assert f"in use by another chatd (process {server.process.pid})" in complaint(second)


async def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        port = str(urlsplit(server.address).port)

        second = chatd(tmp_path, "serve", "--port", port, "--data-dir", "other")

        assert second.returncode == 1
        assert complaint(second) == (
            f"Cannot listen on 127.0.0.1 port {port}: Address already in use. "
            "Is another server running there? Choose another address with --host and --port."
        )
        assert not (tmp_path / "other" / "chatd.db").exists()


async def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    run = chatd(tmp_path, "serve", "--host", "192.0.2.1", "--data-dir", "data")

    assert run.returncode == 1
    assert complaint(run).startswith("Cannot listen on 192.0.2.1 port 8787:")


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
async def test_an_ipv6_address_is_told_as_a_browser_takes_it(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 address")
    async with serving(tmp_path, "--host", "::1") as server:
        assert re.fullmatch(r"http://\[::1\]:\d+", server.address)
        assert (await server.ask("GET", "/healthz"))[0] == 200


def test_a_file_in_place_of_the_data_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    for path in ("file", "file/data"):
        run = chatd(tmp_path, "serve", "--data-dir", path)

        assert run.returncode == 1
        assert complaint(run).startswith(f"Cannot make the data directory {tmp_path / path}: ")


def test_a_database_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    assert chatd(tmp_path, "migrate", "--data-dir", "data").returncode == 0
    database = sqlite3.connect(tmp_path / "data" / "chatd.db")
    database.execute("INSERT INTO migrations (number, name, applied_at) VALUES (9999, 'from_the_future', 0)")
    database.commit()
    database.close()

    for command in (["serve", "--port", "0"], ["migrate"], ["show", "some-chat"]):
        run = chatd(tmp_path, *command, "--data-dir", "data")

        assert run.returncode == 1
        assert "The database is at migration 9999" in complaint(run)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "chatd.db").write_text("Dear diary, " * 100)

    run = chatd(tmp_path, "serve", "--port", "0", "--data-dir", ".")

    assert run.returncode == 1
    assert complaint(run).startswith(f"Cannot open the database {tmp_path}/chatd.db: file is not a database.")


@pytest.mark.parametrize(
    ("arguments", "more", "sentence"),
    [
        ([], {"CHATD_PROT": "1"}, "There is no setting `CHATD_PROT`, which the environment sets. Did"),
        ([], {"CHATD_PORT": "x"}, "`CHATD_PORT` in the environment is 'x'; it must be a whole number from 0"),
        ([], {"CHATD_ADMIN_TOKEN": "short"}, "The setting admin_token is too weak or cannot be sent"),
        (["--config", "gone.toml"], {}, "Cannot read the settings file"),
        (["--database-url", "mysql://x"], {}, "The database address is neither sqlite:///path/to/file nor"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_settings_is_told(
    tmp_path: Path, arguments: list[str], more: dict[str, str], sentence: str
) -> None:
    run = chatd(tmp_path, "serve", "--port", "0", "--data-dir", "data", *arguments, more=more)

    assert run.returncode == 2
    assert complaint(run).startswith(sentence)


def test_an_unknown_key_in_the_settings_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "chatd" / "chatd.toml"
    file.parent.mkdir(parents=True)
    file.write_text('hots = "0.0.0.0"\n')

    run = chatd(tmp_path, "serve")

    assert run.returncode == 2
    assert complaint(run) == f"There is no setting `hots`, which {file} sets. Did you mean `host`?"


async def test_a_settings_file_in_the_current_directory_is_ignored_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "chatd.toml").write_text('hots = "0.0.0.0"\n')

    async with serving(tmp_path) as server:
        _, _, errors = await server.end(signal.SIGTERM)

    line = json.loads(errors.splitlines()[0])
    assert (line["event"], line["file"]) == ("settings.ignored", str(tmp_path / "chatd.toml"))
    assert "--config chatd.toml" in line["hint"]


def test_a_postgres_that_is_not_there_is_told_without_the_password(tmp_path: Path) -> None:
    url = "postgresql://someone:secret@127.0.0.1:1/none"

    run = chatd(tmp_path, "serve", "--port", "0", "--data-dir", "data", "--database-url", url)

    assert run.returncode == 1
    assert "secret" not in complaint(run)
    assert complaint(run).startswith("Cannot reach PostgreSQL at 127.0.0.1:1/none: ")


@pytest.mark.parametrize(
    ("sandbox", "level", "protection"), [("off", "warning", "limits"), ("require", "warning", "closed")]
)
async def test_the_log_says_where_agents_work_and_what_protects_the_rest(
    tmp_path: Path, sandbox: str, level: str, protection: str
) -> None:
    (tmp_path / "project").mkdir()
    more = {"CHATD_SANDBOX": sandbox, "PATH": "/nowhere"}
    async with serving(tmp_path, "--workspace", "project", more=more) as server:
        _, _, errors = await server.end(signal.SIGTERM)

    lines = [json.loads(line) for line in errors.splitlines()]
    (told,) = (line for line in lines if line["event"] == "workspace.offered")
    assert told["root"] == str(tmp_path / "project")
    assert (told["level"], told["protection"], told["shared"]) == (level, protection, False)
    assert "CHATD_SANDBOX" in told["why"]


def test_a_worker_without_a_shared_database_is_refused(tmp_path: Path) -> None:
    run = chatd(tmp_path, "worker", "--port", "0")

    assert run.returncode == 2
    assert "needs the PostgreSQL" in complaint(run)


def test_a_worker_that_is_told_not_to_work_is_refused(tmp_path: Path) -> None:
    more = {"CHATD_WORKER": "false", "CHATD_DATABASE_URL": "postgresql://x@127.0.0.1:1/x"}
    run = chatd(tmp_path, "worker", "--port", "0", more=more)

    assert run.returncode == 2
    assert "CHATD_WORKER=false" in complaint(run)
