"""Finding files by name and lines by content, with ripgrep: fast on large trees, and ignore rules count."""

import re
import stat
from collections.abc import Callable, Iterator

import msgspec
from msgspec import Struct, field

from chatd.workspaces.files import (
    FIND_PATHS_MAX,
    SEARCH_CONTEXT_LINES_MAX,
    SEARCH_MATCHES_MAX,
    FileError,
    FindQuery,
    Found,
    Match,
    Matches,
    Problem,
    SearchQuery,
)
from chatd.workspaces.globs import BadGlob, last_name, matcher
from chatd.workspaces.local.files.confined import Place, Root, missing
from chatd.workspaces.local.files.threads import Stop
from chatd.workspaces.local.search.ripgrep import Output, started

PATTERN_CHARACTERS_MAX = 10_000
FILE_BYTES_MAX = 64 * 1024 * 1024
# What is looked at before it is sorted and cut: more than a caller may ask for, so that the order is that of
# the paths and not of the threads.
_PATHS_SEEN_MAX = 500_000
_LINES_SEEN_MAX = 5000
# What is kept of a line of ripgrep's output, which has a line of a file and then every match in it. A longer
# line of a file is passed over.
_RECORD_BYTES_MAX = 1024 * 1024
# Where the matches begin. In a text of the file the quotes would be escaped.
_MATCHES = b',"submatches":['
_START = re.compile(rb'"start":(\d+)')
# What is shown of a line: around its first match.
LINE_CHARACTERS_MAX = 400
_CHARACTERS_BEFORE = 100


def find_files(root: Root, program: str | None, query: FindQuery, stop: Stop) -> Found:
    matches = _matcher(query.pattern)
    limit = max(1, min(query.limit, FIND_PATHS_MAX))
    with root.opened() as fd, root.place(query.path) as place:
        start = _start(place, query.path)
        arguments = ["--files", "--null", *_rules(query.pattern, ignored=query.include_ignored), "--", start]
        with started(program, arguments, fd, root.path, stop) as output:
            found: list[str] = []
            for paths in _paths(output):
                found += [path for path in paths if matches(_below(path, start))]
                if len(found) >= _PATHS_SEEN_MAX:
                    break
            else:
                output.expect_success()
    found.sort()
    return Found(
        paths=tuple(found[:limit]),
        truncated=len(found) > limit or output.timed_out,
        timed_out=output.timed_out,
    )


def search_files(root: Root, program: str | None, query: SearchQuery, stop: Stop) -> Matches:
    if not query.pattern or len(query.pattern) > PATTERN_CHARACTERS_MAX or "\0" in query.pattern:
        raise FileError(
            Problem.BAD_PATTERN, f"A pattern has 1 to {PATTERN_CHARACTERS_MAX} characters, and no NUL."
        )
    matches = _matcher(query.glob) if query.glob is not None else None
    limit = max(1, min(query.limit, SEARCH_MATCHES_MAX))
    with root.opened() as fd, root.place(query.path) as place:
        start = _start(place, query.path)
        with started(program, [*_asked(query), "--", start], fd, root.path, stop) as output:
            lines, is_cut = _lines_of(output, start, matches)
    lines.sort(key=lambda line: (line.path, line.line))
    kept, count = _first(lines, limit)
    return Matches(
        lines=tuple(kept),
        count=count,
        truncated=is_cut or len(kept) < len(lines) or output.timed_out,
        timed_out=output.timed_out,
    )


def _asked(query: SearchQuery) -> list[str]:
    context = max(0, min(query.context_lines, SEARCH_CONTEXT_LINES_MAX))
    return [
        "--json",
        "--no-mmap",
        f"--max-filesize={FILE_BYTES_MAX}",
        f"--context={context}",
        *(["--fixed-strings"] if query.literal else []),
        "--ignore-case" if query.ignore_case else "--case-sensitive",
        *_rules(query.glob, ignored=query.include_ignored),
        f"--regexp={query.pattern}",
    ]


def _rules(pattern: str | None, *, ignored: bool) -> list[str]:
    """Which files are looked at. A glob of ripgrep would also bring back files that are ignored, a type does
    not; it knows only the last name, so paths are compared afterwards.
    """
    rules = ["--no-ignore"] if ignored else []
    name = last_name(pattern) if pattern is not None else None
    # A type is spelled `name:glob`, and not every glob of ours is one of ripgrep's.
    if name is not None and not set(name) & set(":[]{}\\!"):
        rules += [f"--type-add=wanted:{name}", "--type=wanted"]
    return rules


def _matcher(pattern: str) -> Callable[[str], bool]:
    try:
        return matcher(pattern)
    except BadGlob as error:
        raise FileError(Problem.BAD_PATTERN, str(error)) from error


def _start(place: Place, path: str) -> str:
    """The path from the root, without symbolic links."""
    if place.stat is None:
        raise missing(path)
    if not stat.S_ISDIR(place.stat.st_mode) and not stat.S_ISREG(place.stat.st_mode):
        raise FileError(Problem.NOT_REGULAR, f"{path} is neither a file nor a directory.")
    return "/".join((".", *place.parts))


def _below(path: str, start: str) -> str:
    """A path from the root as one from where the search started."""
    if start == ".":
        return path
    return path.removeprefix(start.removeprefix(".").removeprefix("/")).removeprefix("/") or path


def _paths(output: Output) -> Iterator[list[str]]:
    """As many as came at once: there may be hundreds of thousands."""
    rest = b""
    for chunk in output.chunks():
        whole, _, rest = (rest + chunk).rpartition(b"\0")
        if whole:
            yield [path.removeprefix("./") for path in whole.decode(errors="replace").split("\0")]


class _Text(Struct, frozen=True):
    """Text, or base64 where it is none in UTF-8."""

    text: str | None = None
    data: bytes | None = field(default=None, name="bytes")

    def shown(self) -> str:
        return self.text if self.text is not None else (self.data or b"").decode(errors="replace")


class _Data(Struct, frozen=True):
    path: _Text | None = None
    lines: _Text | None = None
    line_number: int | None = None


class _Record(Struct, frozen=True):
    type: str
    data: _Data


_DECODER = msgspec.json.Decoder(_Record)


def _lines_of(output: Output, start: str, matches: Callable[[str], bool] | None) -> tuple[list[Match], bool]:
    lines: list[Match] = []
    for line in _lines(output):
        if matches is not None and not matches(_below(line.path, start)):
            continue
        lines.append(line)
        if len(lines) >= _LINES_SEEN_MAX:
            return lines, True
    output.expect_success()
    return lines, False


def _lines(output: Output) -> Iterator[Match]:
    rest = b""
    for chunk in output.chunks():
        *whole, rest = (rest + chunk).split(b"\n")
        for record in whole:
            if record.startswith((b'{"type":"match"', b'{"type":"context"')):
                yield from _line(record)
        # The beginning is what matters; what comes is added to it, and cut off again.
        rest = rest[:_RECORD_BYTES_MAX]


def _line(record: bytes) -> Iterator[Match]:
    """The line of a record. There may be thousands of matches in it, of which only the first is read."""
    behind = record.find(_MATCHES)
    if behind < 0:
        return
    try:
        read = _DECODER.decode(record[:behind] + b"}}")
    except msgspec.DecodeError:
        return
    data, first = read.data, _START.search(record, behind)
    if data.path is None or data.lines is None or data.line_number is None:
        return
    yield Match(
        path=data.path.shown().removeprefix("./"),
        line=data.line_number,
        text=_clipped(data.lines.shown().rstrip("\r\n"), int(first[1]) if first else 0),
        is_context=read.type == "context",
    )


def _clipped(text: str, first: int) -> str:
    if len(text) <= LINE_CHARACTERS_MAX:
        return text
    # The position counts bytes; for the choice of what is shown that is near enough.
    begin = max(0, min(first - _CHARACTERS_BEFORE, len(text) - LINE_CHARACTERS_MAX))
    end = begin + LINE_CHARACTERS_MAX
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


def _first(lines: list[Match], limit: int) -> tuple[list[Match], int]:
    """Up to so many matching lines, with the context between and behind them."""
    kept: list[Match] = []
    count = 0
    for line in lines:
        if not line.is_context:
            if count == limit:
                break
            count += 1
        kept.append(line)
    return kept, count
