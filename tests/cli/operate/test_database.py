"""Backup, restore and move, as an operator does them: what comes of it passes the doctor, and chats go on."""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from chatd.client.asynchronous import AsyncClient
from tests.cli.program import chatd, complaint, environment_for, serving
from tests.journeys.server import Server, is_idle, served, transcript, until
from tests.support.fresh_postgres import fresh_database
from tools.postgres import find_binaries

LONG = "stream 60 words at 30 per second"
KEY = "sk-sealed-in-the-database"


@pytest.fixture
async def target(postgres_server: str) -> AsyncIterator[str]:
    async with fresh_database(postgres_server) as url:
        yield url


@pytest.fixture
async def another(postgres_server: str) -> AsyncIterator[str]:
    async with fresh_database(postgres_server) as url:
        yield url


async def answered(client: AsyncClient, chat_id: str, words: str) -> None:
    """Wait until the agent rests, having said this."""
    await until(client, chat_id, is_idle)
    assert words in (await transcript(client, chat_id))[-1]


async def populate(client: AsyncClient) -> str:
    """A chat with an answer, a file in it, and a provider with a sealed key; the id of the chat."""
    chat = await client.create_chat("say First.")
    await answered(client, chat.id, "First.")
    file = await client.add_file(b"attached words", name="notes.txt", media_type="text/plain")
    await client.send(
        chat.id, [{"type": "text", "text": "say With a file."}, {"type": "file", "file_id": file.id}]
    )
    await answered(client, chat.id, "With a file.")
    await client.add_provider("anthropic", "house", api_key=KEY)
    return chat.id


async def goes_on(client: AsyncClient, chat_id: str) -> None:
    """All that was there is there, and the chat can be talked in."""
    (file_id,) = [
        part.file_id async for message in client.history(chat_id) for part in message.content if part.file_id
    ]
    assert await client.file(file_id) == b"attached words"
    # The server would not have started with a key that it cannot unseal.
    assert [each.api_key for each in await client.providers() if each.name == "house"] == ["…base"]
    await client.send(chat_id, "say After.")
    await answered(client, chat_id, "After.")


def doctor(home: Path, server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    return chatd(home, "doctor", "--data-dir", "data", "--url", server.address, *arguments)


async def test_a_copy_that_is_made_while_the_server_writes_is_whole_and_goes_on(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (second / "data").mkdir(mode=0o700, parents=True)
    first.mkdir()
    copy = first / "copy.db"
    async with served(first) as server, server.client() as client:
        chat_id = await populate(client)
        writing = [(await client.create_chat(LONG)).id for _ in range(5)]

        run = await asyncio.to_thread(
            chatd, first, "database", "backup", "copy.db", "--data-dir", "data", "--json"
        )

        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout) == {"file": str(copy), "bytes": copy.stat().st_size}
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        for each in writing:
            await answered(client, each, "assistant")

    shutil.copy(first / "data" / "secret-key", second / "data" / "secret-key")
    run = chatd(second, "database", "restore", str(copy), "--data-dir", "data")
    assert run.returncode == 0, run.stderr
    async with served(second) as server, server.client() as client:
        well = await asyncio.to_thread(doctor, second, server)
        assert well.returncode == 0, well.stdout
        await goes_on(client, chat_id)
        # They were in the middle of a sentence when the copy was made.
        for each in writing:
            await answered(client, each, "assistant")


def test_a_copy_takes_the_place_of_no_file(tmp_path: Path) -> None:
    chatd(tmp_path, "migrate", "--data-dir", "data")
    (tmp_path / "copy.db").write_text("precious")

    run = chatd(tmp_path, "database", "backup", "copy.db", "--data-dir", "data")

    assert run.returncode == 1
    assert "copy.db is there already" in complaint(run)
    assert (tmp_path / "copy.db").read_text() == "precious"


async def test_what_was_there_before_a_restore_is_kept(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-worker") as server:
        kept = await server.start_chat("In the copy.")
        assert chatd(tmp_path, "database", "backup", "copy.db", "--data-dir", "data").returncode == 0
        lost = await server.start_chat("After the copy.")
        # What was written last is only in the log beside the database.
        await server.end(signal.SIGKILL)

    run = chatd(tmp_path, "database", "restore", "copy.db", "--data-dir", "data", "--json")

    assert run.returncode == 0, run.stderr
    before = Path(json.loads(run.stdout)["before"])
    with closing(sqlite3.connect(before)) as raw:
        assert {row[0] for row in raw.execute("SELECT id FROM chats")} == {kept, lost}
    with closing(sqlite3.connect(tmp_path / "data" / "chatd.db")) as raw:
        assert {row[0] for row in raw.execute("SELECT id FROM chats")} == {kept}


async def test_no_database_is_replaced_or_moved_under_a_running_server(tmp_path: Path, target: str) -> None:
    async with serving(tmp_path) as server:
        assert chatd(tmp_path, "database", "backup", "copy.db", "--data-dir", "data").returncode == 0

        for command in (("restore", "copy.db"), ("move", target)):
            run = chatd(tmp_path, "database", *command, "--data-dir", "data")
            assert run.returncode == 1
            assert f"process {server.process.pid}" in complaint(run)


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("INSERT INTO migrations VALUES (9999, 'from_the_future', 0)")
        raw.commit()


def damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    # Past the first page, so that it still looks like a database.
    data[4096 : 4096 * 40] = os.urandom(4096 * 39)
    path.write_bytes(data)


def no_database(path: Path) -> None:
    path.write_text("something else entirely")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [(newer, "A newer version wrote it"), (damaged, "copy.db"), (no_database, "Is it a chatd database")],
)
def test_a_copy_that_cannot_be_used_leaves_everything_as_it_was(
    tmp_path: Path, spoil: object, says: str
) -> None:
    chatd(tmp_path, "migrate", "--data-dir", "data")
    chatd(tmp_path, "database", "backup", "copy.db", "--data-dir", "data")
    assert callable(spoil)
    spoil(tmp_path / "copy.db")
    before = sorted(path.name for path in (tmp_path / "data").iterdir())

    run = chatd(tmp_path, "database", "restore", "copy.db", "--data-dir", "data")

    assert run.returncode == 1
    assert says in complaint(run)
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == before


async def test_chats_that_were_moved_to_postgres_go_on_there(tmp_path: Path, target: str) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat_id = await populate(client)
        speaking = (await client.create_chat(LONG)).id
        await server.kill()

    # The address may hold a password, so it can come where no other user sees it.
    run = subprocess.run(
        [sys.executable, "-m", "chatd", "database", "move", "-", "--data-dir", "data"],
        input=target + "\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment_for(tmp_path),
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "are the same" in run.stdout

    async with served(tmp_path, ("--database-url", target)) as server, server.client() as client:
        well = await asyncio.to_thread(doctor, tmp_path, server, "--database-url", target)
        assert well.returncode == 0, well.stdout
        await goes_on(client, chat_id)
        await answered(client, speaking, "assistant")

    again = chatd(tmp_path, "database", "move", target, "--data-dir", "data")
    assert again.returncode == 1
    assert "is not empty" in complaint(again)


async def test_a_postgres_database_is_dumped_and_restored_with_its_own_tools(
    tmp_path: Path, target: str, another: str
) -> None:
    binaries = find_binaries()
    assert binaries is not None
    if not (binaries / "pg_dump").exists():
        pytest.skip("this PostgreSQL came without pg_dump")
    async with served(tmp_path, ("--database-url", target)) as server, server.client() as client:
        chat_id = await populate(client)
        # As docs/operate/backup.md has it, while the server runs.
        dump = [str(binaries / "pg_dump"), "--format=custom", "--file", "chatd.dump", target]
        await asyncio.to_thread(subprocess.run, dump, cwd=tmp_path, check=True)

    restore = [
        str(binaries / "pg_restore"),
        "--no-owner",
        "--exit-on-error",
        "--dbname",
        another,
        "chatd.dump",
    ]
    subprocess.run(restore, cwd=tmp_path, check=True)
    async with served(tmp_path, ("--database-url", another)) as server, server.client() as client:
        well = await asyncio.to_thread(doctor, tmp_path, server, "--database-url", another)
        assert well.returncode == 0, well.stdout
        await goes_on(client, chat_id)


@pytest.mark.parametrize(
    "command", [["backup", "copy.db"], ["restore", "copy.db"], ["move", "postgresql://x/y"]]
)
def test_of_postgres_one_is_told_what_to_use_instead(tmp_path: Path, command: list[str]) -> None:
    run = chatd(tmp_path, "database", *command, "--database-url", "postgresql://nowhere/chatd")

    assert run.returncode == 1
    assert complaint(run).startswith("The database is PostgreSQL.")
