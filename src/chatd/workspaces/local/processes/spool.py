"""The output of one process, in a file of bounded size: its beginning, and the end as a ring."""

import os
from pathlib import Path

HEAD_BYTES_MAX = 8 * 1024 * 1024
TAIL_BYTES_MAX = 8 * 1024 * 1024
# What the file of one process takes at most.
SPOOL_BYTES_MAX = HEAD_BYTES_MAX + TAIL_BYTES_MAX


class Spool:
    """Bytes are named by their place in the whole output, whether they are kept or not.

    The file is open while the process runs. Afterwards a descriptor would be wasted on it.
    """

    def __init__(
        self, path: Path, *, head_bytes_max: int = HEAD_BYTES_MAX, tail_bytes_max: int = TAIL_BYTES_MAX
    ) -> None:
        self._path = path
        self._head_max = head_bytes_max
        self._tail_max = tail_bytes_max
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self.total = 0
        # From here on nothing is kept: the disk is full or broken.
        self._broken_at: int | None = None

    @property
    def kept_bytes(self) -> int:
        return min(self.written, self._head_max + self._tail_max)

    @property
    def lost_bytes(self) -> int:
        return self.total - self.kept_bytes

    @property
    def tail_start(self) -> int:
        """The first byte of the end that is kept. What is between it and the beginning is lost."""
        return max(min(self._head_max, self.written), self.written - self._tail_max)

    @property
    def written(self) -> int:
        return self.total if self._broken_at is None else self._broken_at

    def write(self, data: bytes) -> None:
        """Never fails: output that the disk does not take is counted as lost."""
        assert self._file is not None, "the process has ended"
        if self._broken_at is None:
            try:
                self._write(self._file, data)
            except OSError:
                self._broken_at = self.total
        self.total += len(data)

    def _write(self, file: int, data: bytes) -> None:
        at, view = self.total, memoryview(data)
        while view:
            place, room = self._place(at)
            done = os.pwrite(file, view[:room], place)
            at, view = at + done, view[done:]

    def read(self, offset: int, size: int) -> tuple[int, bytes]:
        """Up to so many bytes in one piece, and where they begin: further on, when these are lost."""
        if self._head_max <= offset < self.tail_start:
            offset = self.tail_start
        end = min(self.written, offset + size)
        if offset < self._head_max and self.tail_start > self._head_max:
            end = min(end, self._head_max)
        pieces = []
        at = offset
        with _Reading(self._file, self._path) as file:
            while at < end:
                place, room = self._place(at)
                piece = os.pread(file, min(room, end - at), place)
                if not piece:
                    break
                pieces.append(piece)
                at += len(piece)
        return offset, b"".join(pieces)

    def _place(self, at: int) -> tuple[int, int]:
        """Where in the file this byte is, and how many follow without a jump."""
        if at < self._head_max:
            return at, self._head_max - at
        turned = (at - self._head_max) % self._tail_max
        return self._head_max + turned, self._tail_max - turned

    def seal(self) -> None:
        """The output is whole."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def remove(self) -> None:
        self.seal()
        self._path.unlink(missing_ok=True)


class _Reading:
    """The open file of a process that runs, or one that is opened for this reading."""

    def __init__(self, file: int | None, path: Path) -> None:
        self._is_open = file is not None
        self._file = file if file is not None else os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __enter__(self) -> int:
        return self._file

    def __exit__(self, *_: object) -> None:
        if not self._is_open:
            os.close(self._file)
