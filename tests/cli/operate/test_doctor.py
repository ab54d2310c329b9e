import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from tests.cli.program import chatd, serving
from tests.storage.postgres.proxy import Mood, proxied


def findings(output: str) -> dict[str, bool]:
    return {finding["what"]: finding["is_well"] for finding in json.loads(output)["findings"]}


async def test_everything_is_well_beside_a_running_server(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        run = await asyncio.to_thread(
            chatd, tmp_path, "doctor", "--data-dir", "data", "--url", server.address
        )

    assert run.returncode == 0, run.stdout
    assert [line.split()[0] for line in run.stdout.splitlines()] == ["ok"] * 7


async def test_a_server_that_does_not_run_is_told_with_what_to_do(tmp_path: Path) -> None:
    async with serving(tmp_path):
        pass

    run = chatd(tmp_path, "doctor", "--data-dir", "data", "--url", "http://127.0.0.1:9", "--json")

    assert run.returncode == 1
    assert findings(run.stdout) == {
        "settings": True,
        "data directory": True,
        "database": True,
        "integrity": True,
        "server": False,
    }
    assert "Is `chatd serve` running?" in run.stdout


def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    assert chatd(tmp_path, "migrate", "--data-dir", "data").returncode == 0
    raw = sqlite3.connect(tmp_path / "data" / "chatd.db")
    raw.execute(
        "INSERT INTO tokens (id, hash, user_id, name, shown, scopes, created_at)"
        " VALUES ('t', 'h', 'nobody', 'n', '', '', 0)"
    )
    raw.commit()
    raw.close()

    run = chatd(tmp_path, "doctor", "--data-dir", "data", "--url", "http://127.0.0.1:9", "--json")

    assert run.returncode == 1
    assert (findings(run.stdout)["database"], findings(run.stdout)["integrity"]) == (True, False)
    assert "of table tokens refers to a row of users that is not there" in run.stdout
    assert "restore a backup" in run.stdout


async def test_a_chat_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        chat_id = await server.start_chat("wait 600")
    raw = sqlite3.connect(tmp_path / "data" / "chatd.db")
    raw.execute("UPDATE chats SET projection = '{'")
    raw.commit()
    raw.close()

    run = chatd(tmp_path, "doctor", "--data-dir", "data", "--url", "http://127.0.0.1:9", "--json")

    assert findings(run.stdout)["chats"] is False
    assert chat_id in run.stdout


def test_a_fresh_machine_is_told_where_to_begin(tmp_path: Path) -> None:
    run = chatd(tmp_path, "doctor", "--data-dir", "data", "--url", "http://127.0.0.1:9")

    assert run.returncode == 1
    assert "`chatd serve` makes it" in run.stdout
    assert not (tmp_path / "data").exists()


def test_wrong_settings_are_told(tmp_path: Path) -> None:
    run = chatd(tmp_path, "doctor", more={"CHATD_PROT": "1"})

    assert run.returncode == 1
    assert "Did you mean `CHATD_PORT`?" in run.stdout


async def test_what_others_can_read_is_told(tmp_path: Path) -> None:
    async with serving(tmp_path):
        pass
    (tmp_path / "data" / "admin-token").chmod(0o644)

    run = chatd(tmp_path, "doctor", "--data-dir", "data", "--url", "http://127.0.0.1:9", "--json")

    assert findings(run.stdout)["data directory"] is False
    assert "chmod go=" in run.stdout


def test_an_old_schema_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "chatd.db").touch()

    run = chatd(tmp_path, "doctor", "--data-dir", "data", "--url", "http://127.0.0.1:9", "--json")

    assert findings(run.stdout)["database"] is False
    assert "chatd migrate" in run.stdout


async def test_a_wrong_token_is_told(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        run = await asyncio.to_thread(
            chatd,
            tmp_path,
            "doctor",
            "--data-dir",
            "data",
            "--url",
            server.address,
            "--token",
            "wrong",
            "--json",
        )

    assert (run.returncode, findings(run.stdout)["token"]) == (1, False)


async def test_an_address_without_tls_is_told_by_the_doctor_and_by_the_server_which_runs(
    tmp_path: Path,
) -> None:
    (tmp_path / "chatd.toml").write_text(
        '[[providers]]\nname = "plain"\ntype = "anthropic"\nbase_url = "http://acme.example"\n'
    )
    config = {"CHATD_CONFIG": "chatd.toml"}

    async with serving(tmp_path, more=config) as server:
        run = await asyncio.to_thread(
            chatd, tmp_path, "doctor", "--data-dir", "data", "--url", server.address, "--json", more=config
        )
        assert server.process.stderr is not None
        logged = await asyncio.to_thread(server.process.stderr.readline)

    assert run.returncode == 1
    assert [name for name, is_well in findings(run.stdout).items() if not is_well] == ["providers"]
    assert "The [[providers]] table 'plain'" in run.stdout
    assert "has no TLS. Use https" in run.stdout
    assert "provider.unusable" in logged
    assert "has no TLS. Use https" in logged


@pytest.mark.parametrize(
    ("settings", "verdict", "says"),
    [
        ({"CHATD_SANDBOX": "off"}, "ok", "Commands run without a sandbox"),
        # There is no such program on this path.
        ({"PATH": "/nowhere"}, "ok", "`bwrap` is not installed"),
        ({"PATH": "/nowhere", "CHATD_APPROVALS": "never"}, "WRONG", "No command runs."),
        ({"PATH": "/nowhere", "CHATD_SANDBOX": "require"}, "WRONG", "No command runs."),
    ],
)
async def test_what_protects_the_machine_from_commands_is_told_as_it_is(
    tmp_path: Path, settings: dict[str, str], verdict: str, says: str
) -> None:
    (tmp_path / "project").mkdir()
    async with serving(tmp_path, "--workspace", "project", more=settings) as server:
        run = await asyncio.to_thread(
            chatd, tmp_path, "doctor", "--data-dir", "data", "--url", server.address
        )

    (line,) = (line for line in run.stdout.splitlines() if " workspace " in line)
    assert line.startswith(verdict)
    assert says in line


@pytest.mark.parametrize(
    ("settings", "verdict", "says"),
    [
        ({}, "ok", "Without --workspace agents have none. With one: "),
        ({"CHATD_WORKSPACE": "project", "CHATD_SANDBOX": "off"}, "ok", "Commands run without a sandbox"),
        (
            {"CHATD_WORKSPACE": "project", "CHATD_SANDBOX": "require", "PATH": "/nowhere"},
            "WRONG",
            "No command runs.",
        ),
        ({"CHATD_WORKSPACE": "."}, "WRONG", "are inside of one another"),
    ],
)
def test_it_is_told_without_a_running_server_too(
    tmp_path: Path, settings: dict[str, str], verdict: str, says: str
) -> None:
    (tmp_path / "project").mkdir()
    assert chatd(tmp_path, "migrate", "--data-dir", "data").returncode == 0

    # No server listens there.
    run = chatd(tmp_path, "doctor", "--data-dir", "data", more={"CHATD_PORT": "9", **settings})

    (line,) = (line for line in run.stdout.splitlines() if " workspace " in line)
    assert line.startswith(verdict)
    assert says in line


async def test_servers_that_cannot_hear_one_another_are_told(tmp_path: Path, postgres_url: str) -> None:
    async with proxied(postgres_url) as pooler, serving(tmp_path, "--database-url", postgres_url) as server:

        async def examine() -> dict[str, bool]:
            more = {"CHATD_DATABASE_URL": postgres_url, "CHATD_DATABASE_LISTEN_URL": pooler.url}
            arguments = ("doctor", "--data-dir", "data", "--url", server.address, "--json")
            run = await asyncio.to_thread(lambda: chatd(tmp_path, *arguments, more=more))
            return findings(run.stdout)

        assert (await examine())["hints"]
        pooler.mood = Mood.DEAF
        assert not (await examine())["hints"]
