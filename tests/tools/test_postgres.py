"""The launcher is tried on the real thing: whatever PostgreSQL this machine has."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from tools.postgres import (
    BINARIES_VARIABLE,
    URL_VARIABLE,
    CrashingPostgres,
    PostgresUnavailable,
    crashing_postgres,
    find_binaries,
    postgres_for_tests,
    throwaway_postgres,
)

LAUNCHER = Path(__file__).parents[2] / "tools" / "postgres.py"


@pytest.fixture(autouse=True)
def no_server_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


async def ask(url: str, question: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


async def data_folder(url: str) -> Path:
    return Path(str(await ask(url, "SHOW data_directory")))


def server_process(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().splitlines()[0])


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_server_is_found_on_this_machine() -> None:
    folder = find_binaries()

    assert folder is not None
    assert (folder / "initdb").exists()
    assert (folder / "postgres").exists()


def test_a_link_on_the_path_leads_to_the_folder_that_holds_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find_binaries()
    assert real is not None
    (tmp_path / "postgres").symlink_to(real / "postgres")
    monkeypatch.delenv(BINARIES_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_binaries() == real.resolve()


@pytest.mark.parametrize("end", [CrashingPostgres.crash, CrashingPostgres.stop])
async def test_a_durable_server_that_ended_has_every_commit_when_it_is_back(
    end: Callable[[CrashingPostgres], None],
) -> None:
    with crashing_postgres(durable=True) as server:
        before = server_process(await data_folder(server.url))
        connection = await asyncpg.connect(server.url)
        await connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        end(server)
        server.start()
        assert await ask(server.url, "SELECT answer FROM kept") == 42
        assert server_process(await data_folder(server.url)) != before
        assert connection.is_closed()
    assert not is_running(before)


async def test_a_throwaway_server_answers_and_leaves_nothing_behind() -> None:
    with throwaway_postgres() as url:
        data = await data_folder(url)
        process = server_process(data)
        assert await ask(url, "SELECT 6 * 7") == 42
        assert await ask(url, "SHOW fsync") == "off"
        assert await ask(url, "SHOW max_connections") == "200"

    assert not is_running(process)
    assert not data.parent.exists()


async def test_a_durable_server_keeps_the_promises_of_a_real_one() -> None:
    with throwaway_postgres(durable=True) as url:
        settings = [
            await ask(url, f"SHOW {name}") for name in ("fsync", "synchronous_commit", "full_page_writes")
        ]

    assert settings == ["on", "on", "on"]


async def test_a_server_ends_with_the_process_that_asked_for_it_even_when_that_is_killed() -> None:
    program = (
        "from tools.postgres import throwaway_postgres\n"
        "with throwaway_postgres() as url: print(url, flush=True); input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=LAUNCHER.parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as asker:
        assert asker.stdout is not None
        assert asker.stderr is not None
        data = await data_folder(asker.stdout.readline().strip())
        process = server_process(data)
        asker.kill()
        # The holder shares this pipe, so it ends when the holder has ended.
        asker.stderr.read()

    assert not is_running(process)
    assert not data.parent.exists()


def test_a_missing_server_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BINARIES_VARIABLE, str(tmp_path))

    with pytest.raises(PostgresUnavailable, match="Correct it, or unset it"), throwaway_postgres():
        pass


def test_a_server_that_does_not_start_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in ("initdb", "postgres"):
        (tmp_path / program).write_text("#!/bin/sh\necho the disk is full\nexit 1\n")
        (tmp_path / program).chmod(0o755)
    tmp_path.chmod(0o755)
    monkeypatch.setenv(BINARIES_VARIABLE, str(tmp_path))

    with pytest.raises(PostgresUnavailable, match="the disk is full"), throwaway_postgres():
        pass


def test_a_server_given_by_the_developer_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, "postgresql://me@db.example/mine")

    with postgres_for_tests() as url:
        assert url == "postgresql://me@db.example/mine"


def test_a_command_runs_with_a_server_and_its_exit_code_is_kept() -> None:
    program = f"import os, sys; print(os.environ['{URL_VARIABLE}']); sys.exit(7)"

    done = subprocess.run(
        [sys.executable, LAUNCHER, "--run", sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.startswith("postgresql://")
    assert done.returncode == 7


async def test_a_running_command_hears_of_a_termination_and_the_server_ends_with_it() -> None:
    program = f"import os, time; print(os.environ['{URL_VARIABLE}'], flush=True); time.sleep(100)"
    with subprocess.Popen(
        [sys.executable, LAUNCHER, "--run", sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as launcher:
        assert launcher.stdout is not None
        data = await data_folder(launcher.stdout.readline().strip())
        launcher.terminate()

    assert launcher.returncode == 128 + signal.SIGTERM
    assert not data.parent.exists()
