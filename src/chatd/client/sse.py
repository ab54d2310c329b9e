"""Server-Sent Events: bytes in, events out, however the bytes were cut."""

from collections.abc import Iterator

from msgspec import Struct

# A message can be long; an event without end is not a message.
EVENT_BYTES_MAX = 64 * 1024 * 1024


class SentEvent(Struct, frozen=True):
    """One event as it was sent."""

    id: str
    event: str
    data: str


class TooLong(ValueError):
    pass


class Parser:
    def __init__(self) -> None:
        self._rest = b""
        self._id = ""
        self._event = ""
        self._data: list[str] = []
        self._held = 0
        self._after_return = False

    def feed(self, chunk: bytes) -> Iterator[SentEvent]:
        """The events that are complete with this chunk."""
        # A line break may be cut in two.
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r") if chunk else self._after_return
        *lines, self._rest = (self._rest + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if self._held + len(self._rest) > EVENT_BYTES_MAX:
            raise TooLong
        for line in lines:
            if (sent := self._line(line.decode("utf-8", "replace"))) is not None:
                yield sent

    def _line(self, line: str) -> SentEvent | None:
        if not line:
            return self._end()
        self._held += len(line)
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                self._data.append(value)
            case "event":
                self._event = value
            case "id" if "\0" not in value:
                self._id = value
            case _:
                pass  # A comment, which keeps the connection open, or a field that we need not know.
        return None

    def _end(self) -> SentEvent | None:
        data, event = self._data, self._event
        self._data, self._event, self._held = [], "", 0
        return SentEvent(self._id, event or "message", "\n".join(data)) if data else None
