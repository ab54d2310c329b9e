"""The files of a workspace: what tools can do with them, wherever the workspace is.

A path is relative to the root of the workspace, or absolute and inside of it. What leads out of the root,
by `..`, by a symbolic link or in any other way, is refused with `Problem.OUTSIDE`.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

# How much of a file is looked at to tell what it is.
BEGINNING_BYTES = 8 * 1024
# What one read may return. Larger files are read in parts.
READ_BYTES_MAX = 16 * 1024 * 1024
WRITE_BYTES_MAX = 16 * 1024 * 1024
LIST_ENTRIES_MAX = 10_000
# Of one edit: how many files, how many edits in all of them, and how large each file may be.
EDIT_FILES_MAX = 50
EDITS_MAX = 500
EDIT_BYTES_MAX = 8 * 1024 * 1024
FIND_PATHS_MAX = 2000
SEARCH_MATCHES_MAX = 1000
SEARCH_CONTEXT_LINES_MAX = 10


class Problem(StrEnum):
    """Why something could not be done with a file."""

    MISSING = "missing"
    IS_DIRECTORY = "is_directory"
    NOT_DIRECTORY = "not_directory"
    # A device, a socket, a pipe, or a file that the kernel makes up (/proc).
    NOT_REGULAR = "not_regular"
    OUTSIDE = "outside"
    DENIED = "denied"
    TOO_LARGE = "too_large"
    NOT_TEXT = "not_text"
    BAD_PATH = "bad_path"
    BAD_PATTERN = "bad_pattern"
    # It was changed by others between our reading and our writing.
    CHANGED = "changed"
    DISK_FULL = "disk_full"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"


class FileError(Exception):
    """Something could not be done. The message is for a person or a model, and names the path."""

    def __init__(self, problem: Problem, message: str) -> None:
        super().__init__(message)
        self.problem = problem


class FileKind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"


class Stat(Struct, frozen=True, kw_only=True):
    """A file or directory; symbolic links were followed."""

    # Absolute, without symbolic links.
    path: str
    kind: FileKind
    size: int
    # Permission bits.
    mode: int
    modified_ns: int


class Entry(Struct, frozen=True, kw_only=True):
    """One name in a directory. A symbolic link is not followed."""

    name: str
    path: str
    kind: FileKind


class Listing(Struct, frozen=True, kw_only=True):
    # Absolute, without symbolic links.
    path: str
    # By name.
    entries: tuple[Entry, ...]
    # There are more than were asked for.
    truncated: bool = False


class Piece(Struct, frozen=True, kw_only=True):
    """Some bytes of a file. Fewer than were asked for: the file ends there."""

    # Absolute, without symbolic links: the file that was really read.
    path: str
    data: bytes
    offset: int
    file_size: int


class Line(Struct, frozen=True, kw_only=True, gc=False):
    # Without its line ending.
    data: bytes
    # How many bytes were cut off at its end.
    clipped: int = 0


class Lines(Struct, frozen=True, kw_only=True):
    """Some lines of a file, in order. Of a file that is not text there may be none."""

    # Absolute, without symbolic links: the file that was really read.
    path: str
    # The first `BEGINNING_BYTES` of the file, by which one can tell what it is.
    beginning: bytes
    first: int
    lines: tuple[Line, ...]
    file_size: int
    # None: the file is so large that only as much of it was read as had to be.
    total_lines: int | None
    # `bytes_max` is the reason why there are not as many as were asked for.
    cut: bool = False


class Written(Struct, frozen=True, kw_only=True):
    # Absolute, without symbolic links: the file that was really written.
    path: str
    created: bool
    size: int
    # A unified diff. Empty when nothing has changed, or when the file is no text or too large to compare.
    diff: str = ""


class TextEdit(Struct, frozen=True, kw_only=True):
    old_text: str
    new_text: str
    replace_all: bool = False


class FileEdits(Struct, frozen=True, kw_only=True):
    """Edits of one file. They apply in order, each to the result of the one before."""

    path: str
    edits: tuple[TextEdit, ...]


class EditedFile(Struct, frozen=True, kw_only=True):
    path: str
    # A unified diff.
    diff: str


class EditFailed(FileError):
    """Writing failed half-way. Says of each file what state it is in."""

    def __init__(
        self, problem: Problem, message: str, *, restored: Sequence[str] = (), changed: Sequence[str] = ()
    ) -> None:
        super().__init__(problem, message)
        # Were written, and have their former content again.
        self.restored = tuple(restored)
        # Were written, and could not be restored.
        self.changed = tuple(changed)


class FindQuery(Struct, frozen=True, kw_only=True):
    """Files by a glob pattern: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of directories.

    A pattern without a slash is compared with the name of a file, another one with its path from `path`.
    """

    pattern: str
    path: str = "."
    include_ignored: bool = False
    limit: int = FIND_PATHS_MAX


class Found(Struct, frozen=True, kw_only=True):
    # Relative to the root, sorted.
    paths: tuple[str, ...]
    # More were found than `limit`, or the time was over.
    truncated: bool = False
    timed_out: bool = False


class SearchQuery(Struct, frozen=True, kw_only=True):
    """Lines that match a regular expression, as ripgrep reads it; or that contain the text."""

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    path: str = "."
    # Only in files that match, as in `FindQuery`.
    glob: str | None = None
    context_lines: int = 0
    include_ignored: bool = False
    limit: int = SEARCH_MATCHES_MAX


class Match(Struct, frozen=True, kw_only=True):
    """One line. `is_context`: it stands beside one that matches."""

    path: str
    line: int
    text: str
    is_context: bool = False


class Matches(Struct, frozen=True, kw_only=True):
    # By path and line.
    lines: tuple[Match, ...]
    # Matching lines among them.
    count: int
    truncated: bool = False
    timed_out: bool = False


class Files(Protocol):
    """Every method raises FileError. What is cancelled leaves no half-written file behind.

    Changes are made one after the other, in the order in which they were asked for.
    """

    @property
    def root(self) -> str:
        """The directory of the workspace: an absolute path."""
        ...

    async def run_by_git(self) -> tuple[str, ...]:
        """Paths from the root that git takes programs from, of every repository in there, as far as found."""
        ...

    async def resolve(self, path: str) -> str:
        """The absolute path without symbolic links. Parts that do not exist yet are kept."""
        ...

    async def stat(self, path: str) -> Stat: ...

    async def list(self, path: str, *, limit: int = LIST_ENTRIES_MAX) -> Listing: ...

    async def read(self, path: str, *, offset: int = 0, limit: int = READ_BYTES_MAX) -> Piece:
        """At most `limit` bytes from `offset` on. A negative offset counts from the end."""
        ...

    async def read_lines(
        self, path: str, *, first: int = 1, count: int, line_bytes_max: int, bytes_max: int
    ) -> Lines:
        """At most `count` lines from `first` on, each clipped to `line_bytes_max`.

        As many whole lines as have at most `bytes_max` bytes together, but at least one. None of a file that
        has a zero byte at its beginning.
        """
        ...

    async def write(self, path: str, data: bytes, *, only_preview: bool = False) -> Written:
        """Replace or create a file, atomically, with the directories above it.

        Keeps the permissions of a file that exists, and writes through a symbolic link. With `only_preview`
        nothing is written.
        """
        ...

    async def edit(self, files: Sequence[FileEdits], *, only_preview: bool = False) -> tuple[EditedFile, ...]:
        """All edits of all files, or none: they are checked together before the first file is written.

        With `only_preview` nothing is written. Raises EditFailed when writing itself fails.
        """
        ...

    async def find(self, query: FindQuery) -> Found: ...

    async def search(self, query: SearchQuery) -> Matches: ...
