"""search_files: find lines of the workspace's files by what they say."""

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.arguments import typed
from chatd.tools.files.place import SEARCHES_AT_ONCE, SECONDS_MAX, as_tool_errors, files_of
from chatd.tools.tool import Setting, Tool
from chatd.workspaces.files import (
    SEARCH_CONTEXT_LINES_MAX,
    SEARCH_MATCHES_MAX,
    Match,
    SearchQuery,
)

MATCHES = 100
BYTES_MAX = 32 * 1024

NOTHING = (
    "No line matches. Binary files, and what ignore files such as .gitignore name, were left out; see "
    "include_ignored."
)
NOTHING_AT_ALL = "No line matches. Binary files were left out."
MORE = "There are more. Narrow pattern, path or glob, or raise limit."
TIME_OVER = "The time was over before everything was looked at. Give a path further down, or a glob."


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    pattern: Annotated[
        str,
        Meta(
            description="A regular expression for one line, as ripgrep has them: without look-around and "
            "references."
        ),
    ]
    path: Annotated[
        str, Meta(description="The file or directory to look in; the whole workspace by default.")
    ] = "."
    glob: Annotated[
        str | None, Meta(description="Only in files that match this glob, such as `*.py` or `src/**/*.ts`.")
    ] = None
    literal: Annotated[bool, Meta(description="Take the pattern as plain text.")] = False
    ignore_case: Annotated[bool, Meta(description="Upper and lower case are the same.")] = False
    context_lines: Annotated[
        int, Meta(ge=0, le=SEARCH_CONTEXT_LINES_MAX, description="Lines to show around each match.")
    ] = 0
    include_ignored: Annotated[
        bool, Meta(description="Also look into what ignore files such as .gitignore name.")
    ] = False
    limit: Annotated[
        int, Meta(ge=1, le=SEARCH_MATCHES_MAX, description="How many matching lines to show.")
    ] = MATCHES


async def run(args: Args, setting: Setting) -> Json:
    query = SearchQuery(
        pattern=args.pattern,
        path=args.path,
        glob=args.glob,
        literal=args.literal,
        ignore_case=args.ignore_case,
        context_lines=args.context_lines,
        include_ignored=args.include_ignored,
    )
    with as_tool_errors():
        found = await files_of(setting).search(query)
    readable = await _readable(found.lines, setting)
    lines = _fitting(readable, args.limit)
    result: dict[str, Json] = {
        "matches": sum(not line.is_context for line in lines),
        "files": [{"path": path, "lines": text} for path, text in _by_file(lines)],
    }
    is_cut = found.truncated or len(lines) < len(readable)
    if (note := _note(args, lines, is_cut=is_cut, timed_out=found.timed_out)) is not None:
        result["note"] = note
    return result


async def _readable(lines: tuple[Match, ...], setting: Setting) -> tuple[Match, ...]:
    """Without files that the rules do not let this tool read. That they would match is not told either."""
    hidden = await setting.forbidden(Touches(reads=tuple(dict.fromkeys(line.path for line in lines))))
    return tuple(line for line in lines if line.path not in hidden) if hidden else lines


def _fitting(lines: tuple[Match, ...], matches_max: int) -> tuple[Match, ...]:
    """Up to so many matching lines with what stands around them, as far as there is room."""
    size = matches = 0
    path = None
    for number, line in enumerate(lines):
        size += len(_shown(line).encode("utf-8", "replace")) + 1
        matches += not line.is_context
        if line.path != path:
            path = line.path
            size += len(path.encode("utf-8", "replace")) + 1
        if size > BYTES_MAX or matches > matches_max:
            return lines[:number]
    return lines


def _by_file(lines: tuple[Match, ...]) -> Iterator[tuple[str, str]]:
    """Each file once, with its lines."""
    for path, group in groupby(lines, key=lambda line: line.path):
        yield path, "\n".join(map(_shown, group))


def _shown(line: Match) -> str:
    """As grep shows it: a colon behind the number of a match, a hyphen behind that of its context."""
    return f"{line.line}{'-' if line.is_context else ':'}{line.text}"


def _note(args: Args, lines: tuple[Match, ...], *, is_cut: bool, timed_out: bool) -> str | None:
    if timed_out:
        return TIME_OVER
    if is_cut:
        return MORE
    if not lines:
        return NOTHING_AT_ALL if args.include_ignored else NOTHING
    return None


search_files = Tool(
    name="search_files",
    description=(
        "Find lines in files by a regular expression or a text. Files come back sorted by path, their lines "
        "as number, colon and text; a hyphen instead of the colon is a line around a match. Long lines are "
        "shown around the match. What ignore files such as .gitignore name is left out, and so is what the "
        "rules of the chat do not let you read."
    ),
    arguments=typed(Args),
    effect=Effect.READ,
    run=run,
    touches=lambda args: Touches(reads=(args.path,)),
    seconds_max=SECONDS_MAX,
    at_once=SEARCHES_AT_ONCE,
)
