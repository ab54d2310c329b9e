"""`kill -9` in the middle of writing, fifty times, on both databases."""

import asyncio
import random
import sys
from pathlib import Path

import pytest

from chatd.domain.ids import ChatId, FileId
from chatd.storage.reads.read import Everything, read_everything
from tests.clock import MovedClock
from tests.conftest import empty_postgres
from tests.storage.transactions.writer import opened
from tests.support.invariants import assert_coherent

KILLS = 50
# Lines to wait for before the kill. The writer is always some transactions ahead of the reader.
LINES_MAX = 60


@pytest.mark.timeout(300)
async def test_what_was_acknowledged_survives_a_kill_and_nothing_is_half_done(
    place: Path | str, tmp_path: Path
) -> None:
    where = await _prepared(place, tmp_path)
    chance = random.Random(7)
    acknowledged = 0
    for round_ in range(KILLS):
        snapshots = await _write_until_killed(where, round_, lines=chance.randint(0, LINES_MAX))
        await _check(where, snapshots)
        acknowledged += sum(snapshots.values())
    assert acknowledged > KILLS * 10


async def _prepared(place: Path | str, tmp_path: Path) -> str:
    if isinstance(place, str):
        async with empty_postgres(place, MovedClock()):
            return place
    copy = tmp_path / "killed.db"
    copy.write_bytes(place.read_bytes())
    return str(copy)


async def _write_until_killed(where: str, round_: int, *, lines: int) -> dict[ChatId, int]:
    """The newest snapshot of each chat that the writer was told of."""
    writer = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.storage.transactions.writer",
        where,
        str(round_),
        stdout=asyncio.subprocess.PIPE,
    )
    assert writer.stdout is not None
    heard: list[bytes] = []
    while len(heard) <= lines:
        line = await writer.stdout.readline()
        assert line, "the writer ended by itself"
        heard.append(line)
    writer.kill()
    # What it had said before it died counts as said; a last line cut in half does not.
    heard += [line for line in (await writer.stdout.read()).splitlines(keepends=True) if line.endswith(b"\n")]
    await writer.wait()

    snapshots: dict[ChatId, int] = {}
    for line in heard:
        chat_id, snapshot = line.decode().rstrip("\n").split("\t")
        snapshots[ChatId(chat_id)] = int(snapshot)
    return snapshots


async def _check(where: str, snapshots: dict[ChatId, int]) -> None:
    async with opened(where) as db:
        for chat_id, snapshot in snapshots.items():
            stored = await read_everything(db, chat_id)
            assert stored is not None, f"{chat_id} was acknowledged and is gone"
            assert stored.chat.versions.snapshot >= snapshot, f"{chat_id} lost what was acknowledged"
            _assert_whole(stored)


def _assert_whole(stored: Everything) -> None:
    assert_coherent(
        chat=stored.chat,
        messages=stored.messages,
        queue=stored.queue,
        calls=stored.calls,
        links=[FileId(file) for file in stored.files],
        branches=stored.branches,
        charges=stored.charges,
    )
