"""What is shown of a long output: lines of bounded length, and text in whole characters (pure)."""

import codecs
from collections.abc import Iterable

from msgspec import Struct

from chatd.workspaces.processes import LINE_BYTES_MAX

# No marker is longer.
MARKER_BYTES = 128

_CONTINUATION = range(0x80, 0xC0)


class Excerpt(Struct, frozen=True):
    """Text, and how many bytes of the output are in it."""

    text: str
    shown_bytes: int


def whole(data: bytes) -> Excerpt:
    return _clipped(data)


def ends(head: bytes, tail: bytes, omitted: int) -> Excerpt:
    """The beginning and the end, with a line between them that says how much is left out."""
    first, last = _clipped(_until_a_character(head)), _clipped(_from_a_character(tail))
    marker = f"\n[... {omitted} bytes are left out here ...]\n"
    return Excerpt(f"{first.text}{marker}{last.text}", first.shown_bytes + last.shown_bytes)


def piece(data: bytes, *, is_last: bool) -> Excerpt:
    """Bytes in one piece as text. What is cut in the middle of a character comes with the next piece."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(data, final=is_last)
    pending, _ = decoder.getstate()
    return Excerpt(text, len(data) - (0 if is_last else len(pending)))


def last_lines(data: bytes, count: int) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[-count:])


def lines_with(data: bytes, words: Iterable[str]) -> bytes:
    """The lines with one of the words in them. Plain words: no pattern can take for ever."""
    wanted = [word.encode("utf-8", "surrogatepass").lower() for word in words]
    lines = data.splitlines(keepends=True)
    return b"".join(line for line in lines if any(word in line.lower() for word in wanted))


def _clipped(data: bytes) -> Excerpt:
    shown = 0
    lines = []
    for line in data.splitlines(keepends=True):
        body = line.rstrip(b"\r\n")
        if len(body) <= LINE_BYTES_MAX:
            shown += len(line)
            lines.append(line.decode("utf-8", "replace"))
            continue
        half = LINE_BYTES_MAX // 2
        first, last = _until_a_character(body[:half]), _from_a_character(line[len(body) - half :])
        left_out = len(line) - len(first) - len(last)
        shown += len(first) + len(last)
        marker = f" [... {left_out} bytes of this line ...] "
        lines.append(first.decode("utf-8", "replace") + marker + last.decode("utf-8", "replace"))
    return Excerpt("".join(lines), shown)


def _until_a_character(data: bytes) -> bytes:
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    decoder.decode(data)
    pending, _ = decoder.getstate()
    return data[: len(data) - len(pending)]


def _from_a_character(data: bytes) -> bytes:
    cut = 0
    while cut < min(3, len(data)) and data[cut] in _CONTINUATION:
        cut += 1
    return data[cut:]
