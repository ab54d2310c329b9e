"""How much one message may be, while its bytes come in (pure).

Values are counted by the characters between them. A text with as many commas is refused, too; what a server
sends as data, images for example, has none.
"""

from chatd.mcp.limits import MESSAGE_BYTES_MAX, MESSAGE_VALUES_MAX
from chatd.mcp.session import McpError

TOO_LARGE = f"The server sent a message of more than {MESSAGE_BYTES_MAX // 1024 // 1024} MiB."
TOO_MANY_VALUES = f"The server sent a message with more than {MESSAGE_VALUES_MAX} values."

_BETWEEN_VALUES = (b",", b"[", b"{")


class TooLarge(McpError):
    pass


class Meter:
    def __init__(self) -> None:
        self._bytes = 0
        self._values = 0

    def take(self, piece: bytes) -> None:
        """Raises TooLarge."""
        self._bytes += len(piece)
        if self._bytes > MESSAGE_BYTES_MAX:
            raise TooLarge(TOO_LARGE)
        self._values += sum(piece.count(mark) for mark in _BETWEEN_VALUES)
        if self._values > MESSAGE_VALUES_MAX:
            raise TooLarge(TOO_MANY_VALUES)

    def begin_anew(self) -> None:
        """Another message follows."""
        self._bytes = self._values = 0


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
