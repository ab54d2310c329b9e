"""Reading files and directories of any size, in pieces."""

import errno
import heapq
import os
import stat
from collections.abc import Iterator

from chatd.workspaces.files import BEGINNING_BYTES, Entry, FileKind, Line, Lines, Listing, Piece, Stat
from chatd.workspaces.local.files.confined import Root, missing
from chatd.workspaces.local.files.threads import Stop

CHUNK_BYTES = 256 * 1024
# Of a larger file the lines behind those that were asked for are not counted.
COUNTED_BYTES_MAX = 64 * 1024 * 1024
_SEEN_AT_ONCE = 1000
_BLOCK_BYTES = 512


def read_stat(root: Root, path: str) -> Stat:
    with root.place(path) as place:
        if place.stat is None:
            raise missing(path)
        return Stat(
            path=root.absolute(place),
            kind=_kind(place.stat.st_mode),
            size=place.stat.st_size,
            mode=stat.S_IMODE(place.stat.st_mode),
            modified_ns=place.stat.st_mtime_ns,
        )


def list_directory(root: Root, path: str, limit: int, stop: Stop) -> Listing:
    with root.place(path) as place:
        fd = root.open_directory(place, path)
        base = root.absolute(place)
        try:
            with os.scandir(fd) as found:
                # A directory may have more names than fit into memory.
                first = heapq.nsmallest(limit + 1, _entries(found, base, stop), key=lambda entry: entry.name)
        finally:
            os.close(fd)
    return Listing(path=base, entries=tuple(first[:limit]), truncated=len(first) > limit)


def read_range(root: Root, path: str, offset: int, limit: int, stop: Stop) -> Piece:
    with root.place(path) as place:
        fd = root.open_regular(place, path)
        try:
            size = os.fstat(fd).st_size
            start = max(0, size + offset) if offset < 0 else offset
            pieces: list[bytes] = []
            position, end = start, start + limit
            while position < end and (data := os.pread(fd, min(CHUNK_BYTES, end - position), position)):
                pieces.append(data)
                position += len(data)
                stop.check()
        finally:
            os.close(fd)
        return Piece(path=root.absolute(place), data=b"".join(pieces), offset=start, file_size=size)


def read_some_lines(  # noqa: PLR0917
    root: Root, path: str, first: int, count: int, line_bytes_max: int, bytes_max: int, stop: Stop
) -> Lines:
    with root.place(path) as place:
        fd = root.open_regular(place, path)
        try:
            found = os.fstat(fd)
            size = found.st_size
            wanted = CollectedLines(first, count, line_bytes_max, bytes_max)
            beginning = os.pread(fd, BEGINNING_BYTES, 0)
            if b"\0" in beginning:
                total = None
            elif len(beginning) == size:
                # Most files are read by now.
                wanted.take(beginning)
                total = wanted.end()
            else:
                total = _collect(fd, found, wanted, stop)
            return Lines(
                path=root.absolute(place),
                beginning=beginning,
                first=first,
                lines=tuple(wanted.lines),
                file_size=size,
                total_lines=total,
                cut=wanted.is_cut,
            )
        finally:
            os.close(fd)


def _collect(fd: int, found: os.stat_result, wanted: "CollectedLines", stop: Stop) -> int | None:
    """How many lines there are; None if the file is too large to count them."""
    for chunk in _chunks(fd, found, stop):
        wanted.take(chunk)
        if wanted.is_complete and found.st_size > COUNTED_BYTES_MAX:
            return None
    return wanted.end()


class CollectedLines:
    """Collects some lines of a file that comes in chunks. Holds no more than those lines, clipped."""

    def __init__(self, first: int, count: int, line_bytes_max: int, bytes_max: int) -> None:
        self._first = first
        self._last = first + count - 1
        self._line_bytes_max = line_bytes_max
        self._bytes_max = bytes_max
        self._number = 1
        self.lines: list[Line] = []
        self._size = 0
        self.is_cut = False
        # The line that is not complete yet: its beginning, and how long it is so far.
        self._begun = b""
        self._length = 0

    @property
    def is_complete(self) -> bool:
        return self._number > self._last or self.is_cut

    def take(self, chunk: bytes) -> None:
        position = 0
        was_tried = False
        while position < len(chunk):
            if self._number < self._first or self.is_complete:
                position = self._skip(chunk, position)
                continue
            if not was_tried and not self._length:
                was_tried = True
                position = self._take_at_once(chunk, position)
                continue
            end = chunk.find(b"\n", position)
            self._grow(chunk[position : end if end >= 0 else len(chunk)])
            if end < 0:
                return
            self._finish_line()
            position = end + 1

    def _take_at_once(self, chunk: bytes, position: int) -> int:
        """All whole lines that the chunk still has, if every one of them is wanted as it is; else none.

        Returns where the next line begins.
        """
        behind = chunk.rfind(b"\n", position) + 1
        if not 0 < behind - position <= self._bytes_max - self._size or b"\r" in chunk:
            return position
        lines = chunk[position : behind - 1].split(b"\n")
        if len(lines) > self._last + 1 - self._number or len(max(lines, key=len)) > self._line_bytes_max:
            return position
        self.lines += [Line(data=line) for line in lines]
        self._size += behind - position
        self._number += len(lines)
        return behind

    def end(self) -> int:
        """How many lines there are in the whole file."""
        if self._length:
            self._finish_line()
        return self._number - 1

    def _skip(self, chunk: bytes, position: int) -> int:
        """Over lines that are only counted, to the end of the chunk or to the first line that is wanted."""
        ahead = self._first - self._number
        endings = chunk.count(b"\n", position)
        if self.is_complete or endings < ahead:
            behind = chunk.rfind(b"\n", position)
            self._number += endings
            self._length = len(chunk) - behind - 1 if behind >= 0 else self._length + len(chunk) - position
            return len(chunk)
        for _ in range(ahead):
            position = chunk.index(b"\n", position) + 1
        self._number, self._length = self._first, 0
        return position

    def _grow(self, data: bytes) -> None:
        # A return that belongs to the line ending may come in the next chunk, so one byte more is kept.
        room = self._line_bytes_max + 1 - len(self._begun)
        if room > 0:
            self._begun += data[:room]
        self._length += len(data)

    def _finish_line(self) -> None:
        if self.is_complete or self._number < self._first:
            self._number, self._length = self._number + 1, 0
            return
        line, length = self._begun, self._length
        if length == len(line) and line.endswith(b"\r"):
            line, length = line[:-1], length - 1
        line = line[: self._line_bytes_max]
        # With its line ending.
        self._size += len(line) + 1
        if self.lines and self._size > self._bytes_max:
            self.is_cut = True
        else:
            self.lines.append(Line(data=line, clipped=length - len(line)))
        self._number, self._begun, self._length = self._number + 1, b"", 0


def _chunks(fd: int, found: os.stat_result, stop: Stop) -> Iterator[bytes]:
    """Up to where it ended when it was opened: one that grows faster than it is read would have no end."""
    size = found.st_size
    is_sparse = found.st_blocks * _BLOCK_BYTES < size
    position = 0
    while position < size:
        stop.check()
        if is_sparse and (ahead := _over_hole(fd, position, size)) > position:
            # A hole is a piece of a line, all zeros. To read every one of them could take days.
            yield b"\0"
            position = ahead
            continue
        data = os.pread(fd, min(CHUNK_BYTES, size - position), position)
        if not data:
            return
        yield data
        position += len(data)


def _over_hole(fd: int, position: int, size: int) -> int:
    try:
        return os.lseek(fd, position, os.SEEK_DATA)
    except OSError as error:
        # Nothing but a hole up to the end, or a file system that knows no holes.
        return max(position, size) if error.errno == errno.ENXIO else position


def _entries(found: Iterator[os.DirEntry[str]], base: str, stop: Stop) -> Iterator[Entry]:
    for number, entry in enumerate(found):
        if number % _SEEN_AT_ONCE == 0:
            stop.check()
        yield Entry(name=entry.name, path=f"{base}/{entry.name}", kind=_entry_kind(entry))


def _entry_kind(entry: os.DirEntry[str]) -> FileKind:
    if entry.is_symlink():
        return FileKind.LINK
    if entry.is_dir(follow_symlinks=False):
        return FileKind.DIRECTORY
    return FileKind.FILE if entry.is_file(follow_symlinks=False) else FileKind.OTHER


def _kind(mode: int) -> FileKind:
    if stat.S_ISREG(mode):
        return FileKind.FILE
    return FileKind.DIRECTORY if stat.S_ISDIR(mode) else FileKind.OTHER
