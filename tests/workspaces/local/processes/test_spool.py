from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.workspaces.local.processes.spool import Spool

HEAD, TAIL = 10, 8


def a_spool(path: Path) -> Spool:
    return Spool(path, head_bytes_max=HEAD, tail_bytes_max=TAIL)


def everything(spool: Spool) -> list[tuple[int, bytes]]:
    pieces: list[tuple[int, bytes]] = []
    at = 0
    while True:
        start, data = spool.read(at, 4)
        if not data:
            return pieces
        pieces.append((start, data))
        at = start + len(data)


def test_what_is_written_can_be_read_from_any_place(tmp_path: Path) -> None:
    spool = a_spool(tmp_path / "output")
    spool.write(b"0123456789abc")

    assert spool.read(0, 100) == (0, b"0123456789abc")
    assert spool.read(8, 3) == (8, b"89a")
    assert spool.read(13, 10) == (13, b"")


def test_of_a_long_output_the_beginning_and_the_end_are_kept_and_the_rest_is_counted(tmp_path: Path) -> None:
    spool = a_spool(tmp_path / "output")
    spool.write(b"0123456789" + b"x" * 100 + b"abcdefgh")

    assert (spool.total, spool.kept_bytes, spool.lost_bytes) == (118, 18, 100)
    assert spool.read(0, 100) == (0, b"0123456789")
    # What is lost is skipped, and the place of what follows is told.
    assert spool.read(10, 100) == (110, b"abcdefgh")


def test_the_file_never_grows_beyond_its_bound(tmp_path: Path) -> None:
    spool = a_spool(tmp_path / "output")
    for _ in range(1000):
        spool.write(b"some words")

    assert (tmp_path / "output").stat().st_size == HEAD + TAIL


def test_a_sealed_output_can_still_be_read_and_holds_no_descriptor(tmp_path: Path) -> None:
    spool = a_spool(tmp_path / "output")
    spool.write(b"done")
    spool.seal()

    assert spool._file is None
    assert spool.read(0, 10) == (0, b"done")


def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    a_spool(tmp_path / "output")

    assert (tmp_path / "output").stat().st_mode & 0o777 == 0o600


@given(st.lists(st.binary(max_size=30), max_size=12))
def test_counts_and_places_are_true_whatever_is_written(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("spool") / "output"
    spool = a_spool(path)
    for chunk in chunks:
        spool.write(chunk)
    whole = b"".join(chunks)

    pieces = everything(spool)

    assert spool.total == len(whole)
    assert all(whole[start : start + len(data)] == data for start, data in pieces)
    assert sum(len(data) for _, data in pieces) == spool.kept_bytes == len(whole) - spool.lost_bytes
    spool.remove()
    assert not path.exists()
