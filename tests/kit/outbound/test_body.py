"""Bodies as they come: packed or not, and within a bound."""

import gzip
import zlib

import pytest

from chatd.kit.outbound.body import BadEncoding, Body

TEXT = b"hello " * 1000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT, mtime=0)),
        (" X-GZIP", gzip.compress(TEXT, mtime=0)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
    ],
)
@pytest.mark.parametrize("size", [7, 100_000])
def test_a_body_is_unpacked_as_it_comes(encoding: str, packed: bytes, size: int) -> None:
    body = Body(encoding, 10_000)
    for at in range(0, len(packed), size):
        body.take(packed[at : at + size])

    assert body.data == TEXT
    assert not body.is_full


def test_of_a_bomb_only_as_much_is_unpacked_as_is_wanted() -> None:
    body = Body("gzip", 1000)
    body.take(gzip.compress(bytes(100_000_000)))

    assert body.is_full
    assert body.data == bytes(1000)


def test_a_body_that_unpacks_to_nothing_has_an_end() -> None:
    """Empty blocks without end."""
    body = Body("deflate", 1000)
    for _ in range(300):
        body.take(b"\x00\x00\x00\xff\xff")

    assert body.is_full
    assert body.data == b""


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
def test_an_encoding_that_was_not_asked_for_is_told(encoding: str) -> None:
    with pytest.raises(BadEncoding):
        Body(encoding, 1000)


def test_what_is_not_packed_as_it_says_is_told() -> None:
    body = Body("gzip", 1000)
    with pytest.raises(BadEncoding):
        body.take(b"<html>this is no gzip")
    body = Body("gzip", 100_000)
    packed = bytearray(gzip.compress(bytes(range(256)) * 100))
    body.take(bytes(packed[:40]))
    with pytest.raises(BadEncoding):
        body.take(b"\xff" * 100)
