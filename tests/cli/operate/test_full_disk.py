"""A disk that is really full: a small one that is mounted for the test, where that is possible."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Running, chatd, serving

# The database of a new server and a little more.
DISK_KILOBYTES = 2048
# Nothing that is waited for takes as long as this.
PATIENCE_SECONDS = 30


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A home whose `data` is a disk of its own."""
    place = tmp_path / "data"
    place.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", f"size={DISK_KILOBYTES}k,mode=0700", "tmpfs", str(place)]
    if mount is None or subprocess.run([mount, *options], capture_output=True, check=False).returncode != 0:
        pytest.skip("no disk can be mounted here")
    try:
        yield tmp_path
    finally:
        umount = shutil.which("umount")
        assert umount is not None
        subprocess.run([umount, str(place)], check=True)


def fill(disk: Path) -> Path:
    """Not a byte is left on the disk. Returns what to remove to make room."""
    ballast = disk / "data" / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


async def until(server: Running, path: str, status: int) -> Any:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            answered, body = await server.ask("GET", path)
            if answered == status:
                return body
            await asyncio.sleep(0)


async def test_a_disk_that_fills_up_is_told_and_everything_goes_on_when_there_is_room(disk: Path) -> None:
    async with serving(disk) as server:
        before = await server.start_chat("say Hello.")
        ballast = fill(disk)
        long = {"content": [{"type": "text", "text": "x" * 100_000}]}
        statuses = set()
        for _ in range(50):
            status, body = await server.ask("POST", "/api/v1/chats", json=long)
            statuses.add(status)
            if status == 503:
                assert body["error"]["code"] == "database_unavailable"
        assert 503 in statuses <= {201, 503}
        await until(server, "/readyz", 503)
        assert (await server.ask("GET", f"/api/v1/chats/{before}"))[0] == 200

        ballast.unlink()

        await until(server, "/readyz", 200)
        await server.start_chat("say There is room.")
        code, _, errors = await server.end(signal.SIGTERM)

    assert code == 0
    lines = [json.loads(line) for line in errors.splitlines()]
    unavailable = [line for line in lines if line["event"] == "database.unavailable"]
    assert 1 <= len(unavailable) <= len({line["kind"] for line in lines if "kind" in line})
    assert not [line for line in lines if line["event"] == "request.failed"]


@pytest.mark.parametrize("bytes_free", [0, 4096, 65536, 300_000])
def test_a_server_that_starts_on_a_full_disk_says_a_sentence(disk: Path, bytes_free: int) -> None:
    ballast = fill(disk)
    os.truncate(ballast, ballast.stat().st_size - bytes_free)

    run = chatd(disk, "serve", "--port", "0", "--data-dir", "data")

    assert (run.returncode, run.stdout) == (1, "")
    assert "Traceback" not in run.stderr
    # Before it there may be a line of the log.
    sentence = run.stderr.splitlines()[-1]
    assert sentence.startswith("chatd: ")
    assert "No space left on device" in sentence or "the disk is full" in sentence
    assert not list((disk / "data").glob(".*"))


async def test_a_database_that_is_removed_under_the_server_is_told(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        chat_id = await server.start_chat("say Hello.")
        for file in (tmp_path / "data").glob("chatd.db*"):
            file.unlink()

        await until(server, "/readyz", 503)
        body = {"content": [{"type": "text", "text": "lost"}]}
        assert (await server.ask("POST", "/api/v1/chats", json=body))[0] == 503
        assert (await server.ask("GET", f"/api/v1/chats/{chat_id}"))[0] == 200
        code, _, errors = await server.end(signal.SIGTERM)

    assert code == 0
    lines = [json.loads(line) for line in errors.splitlines()]
    (line,) = [line for line in lines if line["event"] == "database.unavailable"]
    assert "was removed or replaced while the server runs" in line["error"]
