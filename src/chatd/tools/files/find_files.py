"""find_files: find files of the workspace by their names and paths."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.arguments import typed
from chatd.tools.files.place import SEARCHES_AT_ONCE, SECONDS_MAX, as_tool_errors, files_of
from chatd.tools.tool import Setting, Tool
from chatd.workspaces.files import FIND_PATHS_MAX, FindQuery, Found

PATHS = 200
BYTES_MAX = 32 * 1024

NOTHING = "No file matches. What ignore files such as .gitignore name was left out; see include_ignored."
NOTHING_AT_ALL = "No file matches."
MORE = "There are more. Narrow pattern or path, or raise limit."
TIME_OVER = "The time was over before everything was looked at. Give a path further down."


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    pattern: Annotated[
        str,
        Meta(
            description="A glob: `*.py` finds names anywhere, `src/**/test_*.py` paths from `path` on. "
            "`*`, `?`, `[a-z]` and `{a,b}` stay within a name, `**` is any number of directories."
        ),
    ] = "**"
    path: Annotated[str, Meta(description="The directory to look in; the whole workspace by default.")] = "."
    include_ignored: Annotated[
        bool, Meta(description="Also find what ignore files such as .gitignore name.")
    ] = False
    limit: Annotated[int, Meta(ge=1, le=FIND_PATHS_MAX, description="How many paths to show.")] = PATHS


async def run(args: Args, setting: Setting) -> Json:
    query = FindQuery(
        pattern=args.pattern, path=args.path, include_ignored=args.include_ignored, limit=args.limit
    )
    with as_tool_errors():
        found = await files_of(setting).find(query)
    paths = _fitting(found.paths)
    result: dict[str, Json] = {"paths": paths}
    if (note := _note(args, found, shown=len(paths))) is not None:
        result["note"] = note
    return result


def _fitting(paths: tuple[str, ...]) -> list[str]:
    size = 0
    for number, path in enumerate(paths):
        size += len(path.encode("utf-8", "replace")) + 1
        if size > BYTES_MAX:
            return list(paths[:number])
    return list(paths)


def _note(args: Args, found: Found, *, shown: int) -> str | None:
    if found.timed_out:
        return TIME_OVER
    if found.truncated or shown < len(found.paths):
        return MORE
    if not found.paths:
        return NOTHING_AT_ALL if args.include_ignored else NOTHING
    return None


find_files = Tool(
    name="find_files",
    description=(
        "Find files by name or path. Paths come back from the root of the workspace on, sorted. Directories "
        "and symbolic links are not listed, nor is what ignore files such as .gitignore name."
    ),
    arguments=typed(Args),
    effect=Effect.READ,
    run=run,
    touches=lambda args: Touches(reads=(args.path,)),
    seconds_max=SECONDS_MAX,
    at_once=SEARCHES_AT_ONCE,
)
