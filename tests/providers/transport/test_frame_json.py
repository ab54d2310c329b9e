import msgspec
import pytest
from msgspec import Raw, Struct

from chatd.providers.transport.frame_json import NESTED_MAX, FrameDecoder, is_too_deep


class Said(Struct):
    text: str = ""
    kept: Raw = Raw(b"")


_said = FrameDecoder(Said)


def _nested(levels: int, *, within: bytes = b"") -> bytes:
    return b'{"a":' * (levels - 1) + b"[" + within + b"]" + b"}" * (levels - 1)


def test_a_frame_is_read_as_its_type() -> None:
    assert _said.decode(b'{"text":"Io","more":1}').text == "Io"


def test_half_a_byte_sequence_becomes_a_mark() -> None:
    assert _said.decode(b'{"text":"Gr\xc3"}').text == "Gr\N{REPLACEMENT CHARACTER}"


def test_half_a_character_that_is_escaped_stays_what_it_is() -> None:
    said = FrameDecoder(dict[str, str]).decode(b'{"text":"\\ud83d"}')

    # The other half may come with the next frame.
    assert said["text"] == "\ud83d"


def test_half_a_character_in_a_part_that_is_kept_becomes_a_mark() -> None:
    said = _said.decode(b'{"text":"Io","kept":{"word":"\\ud83d"}}')

    assert msgspec.json.decode(said.kept) == {"word": "\N{REPLACEMENT CHARACTER}"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"text":NaN}',
        b'{"text":"\\ud83d","more":1e400}',
        b'{"text":1',
        b'{"text":1}',
        b'{"text":"\xff"',
        b'{"text":[],"kept":"\\ud83d"',
        b"[" * 100_000,
        b'{"text":"Io","more":' + _nested(NESTED_MAX + 1, within=b" " * 1000) + b"}",
        b'{"more":' + b"[" * 9_000 + b"]" * 9_000 + b"}",
    ],
)
def test_whatever_else_it_is_cannot_be_read(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        _said.decode(data)


def test_depth_is_counted_where_it_is_depth() -> None:
    long = b" " * 1000

    assert not is_too_deep(_nested(NESTED_MAX, within=long))
    assert is_too_deep(_nested(NESTED_MAX + 1, within=long))
    assert not is_too_deep(b"[" + b",".join([b"[{}]"] * 5000) + b"]")
    assert not is_too_deep(b'["' + b'[[\\"' * 5000 + b'"]')
