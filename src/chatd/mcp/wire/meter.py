"""How much one message may be, while its bytes come in (pure).

Values are counted by what stands between them: as objects they take far more memory and time than as text.
What is inside of strings does not count, so that a long table in a text is no trouble.
"""

import re

from chatd.mcp.connections.session import McpError
from chatd.mcp.limits import MESSAGE_BYTES_MAX, MESSAGE_VALUES_MAX

TOO_LARGE = f"The server sent a message of more than {MESSAGE_BYTES_MAX // 1024 // 1024} MiB."
TOO_MANY_VALUES = f"The server sent a message with more than {MESSAGE_VALUES_MAX} values."

_BETWEEN_VALUES = (b",", b"[", b"{")
# A string, or the beginning of one that goes on in the next piece.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
# Stands after a piece: a string that goes on swallows it. JSON has no such byte.
_END = b"\x01"


class TooLarge(McpError):
    pass


class Meter:
    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Another message follows."""
        self._bytes = self._values = 0
        # What a piece has to begin with to be read alone: the string that it is inside of.
        self._open = b""

    def take(self, piece: bytes) -> None:
        """Raises TooLarge."""
        self._bytes += len(piece)
        if self._bytes > MESSAGE_BYTES_MAX:
            raise TooLarge(TOO_LARGE)
        outside = self._outside_of_strings(self._open + piece)
        self._values += sum(outside.count(mark) for mark in _BETWEEN_VALUES)
        if self._values > MESSAGE_VALUES_MAX:
            raise TooLarge(TOO_MANY_VALUES)

    def _outside_of_strings(self, text: bytes) -> bytes:
        outside = _STRING.sub(b"", text + _END)
        if outside.endswith(_END):
            self._open = b""
        else:
            is_escaping = (len(text) - len(text.rstrip(b"\\"))) % 2
            self._open = b'"\\' if is_escaping else b'"'
        return outside


class Lines:
    """Bytes as they come become lines, each within the bounds of a message."""

    def __init__(self) -> None:
        self._meter = Meter()
        self._begun: list[bytes] = []

    def take(self, chunk: bytes) -> list[bytes]:
        """The lines that end in this chunk. Raises TooLarge."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for piece in ended:
            self._add(piece)
            lines.append(b"".join(self._begun))
            self._begun.clear()
            self._meter.begin_anew()
        self._add(rest)
        return lines

    def _add(self, piece: bytes) -> None:
        self._meter.take(piece)
        if piece:
            self._begun.append(piece)
