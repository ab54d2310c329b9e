"""Server-sent events: bytes in any portions become frames (pure).

Line ends may be LF, CRLF or CR, even mixed, and may be cut in two. Comments and blank frames are
activity and nothing else. The last frame counts although its blank line is missing.
"""

import re
from typing import Final, TypeAlias

# The name of the event, empty if it has none, and its data.
Frame: TypeAlias = tuple[bytes, bytes]

# Of one frame, line ends included.
FRAME_BYTES_MAX = 32 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"

# A portion that is just one frame, as almost every delta comes that a provider sends as soon as it has it.
_ONE_FRAME: Final = re.compile(rb"(?:event: ?([!-~]*)\r?\n)?data: ?([^\r\n]*)\r?\n\r?\n")


class FrameTooLargeError(Exception):
    pass


class SseFrames:
    def __init__(self, frame_bytes_max: int = FRAME_BYTES_MAX) -> None:
        self._frame_bytes_max = frame_bytes_max
        # How the stream began, as long as that may still be a byte order mark.
        self._beginning: bytes | None = b""
        self._after_return = False
        # A line whose end has not come yet. Joined once, when it comes: a long line in many portions
        # would otherwise be copied again for each of them.
        self._line: list[bytes] = []
        self._line_size = 0
        # Lines of a frame whose blank line has not come yet.
        self._name = b""
        self._data: list[bytes] = []
        self._data_size = 0
        # Nothing of the above: what comes next is the beginning of a frame.
        self._between_frames = False

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that these bytes complete. Raises FrameTooLargeError."""
        is_whole = self._between_frames and len(data) <= self._frame_bytes_max
        if is_whole and (one := _ONE_FRAME.fullmatch(data)):
            return [(one[1] or b"", one[2])]
        frames = self._feed(data)
        self._between_frames = not (
            self._beginning is not None or self._after_return or self._line or self._data or self._name
        )
        return frames

    def _feed(self, data: bytes) -> list[Frame]:
        if self._beginning is not None:
            data = self._without_mark(data)
        if self._after_return and data:
            # The CR has ended its line already; this LF is the other half of it.
            data = data.removeprefix(b"\n")
            self._after_return = False
        has_returns = b"\r" in data
        if not has_returns and b"\n" not in data:
            self._keep(data)
            return []
        if self._line:
            self._line.append(data)
            data = b"".join(self._line)
            self._line = []
            self._line_size = 0
        if has_returns:
            lines, rest = self._lines(data)
        else:
            lines = data.split(b"\n")
            rest = lines.pop()
        if rest:
            self._keep(rest)
        return self._frames(lines)

    def close(self) -> list[Frame]:
        """What was begun and has no end."""
        # Half a byte order mark is no mark.
        last = b"".join((self._beginning or b"", *self._line))
        self._line = []
        return self._frames([last, b""])

    def _without_mark(self, data: bytes) -> bytes:
        data = (self._beginning or b"") + data
        if len(data) < len(_BOM) and _BOM.startswith(data):
            self._beginning = data
            return b""
        self._beginning = None
        return data.removeprefix(_BOM)

    def _lines(self, data: bytes) -> tuple[list[bytes], bytes]:
        """Lines with any end, and what has none yet. Of bytes, splitlines knows just the three that count."""
        self._after_return = data.endswith(b"\r")
        lines = data.splitlines()
        return lines, b"" if data.endswith((b"\n", b"\r")) else lines.pop()

    def _keep(self, data: bytes) -> None:
        if data:
            self._line.append(data)
            self._line_size += len(data)
            if self._line_size + self._data_size > self._frame_bytes_max:
                raise FrameTooLargeError

    def _frames(self, lines: list[bytes]) -> list[Frame]:
        frames: list[Frame] = []
        # Every delta of every stream comes through here, mostly alone: hence no call for each line.
        parts = self._data
        for line in lines:
            if line.startswith(b"data:"):
                value = line[6:] if line.startswith(b"data: ") else line[5:]
            elif not line:
                if parts:
                    frames.append((self._name, parts[0] if len(parts) == 1 else b"\n".join(parts)))
                    parts = self._data = []
                    self._data_size = 0
                self._name = b""
                continue
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()
                continue
            elif line == b"data":
                value = b""
            else:
                continue
            parts.append(value)
            # The line end counts: a frame of blank lines has a size as well.
            self._data_size += len(value) + 1
            if self._data_size > self._frame_bytes_max:
                raise FrameTooLargeError
        return frames
