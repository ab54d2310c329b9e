"""What a terminal shows of a call and of its result (pure): a line each, and the diff of what was changed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from chatd.client.answers import Part
from chatd.kit.codec import as_text
from chatd.kit.text import one_line, shortened

# Of arguments and results only the beginning is shown.
GLIMPSE = 100
COMMAND_GLIMPSE = 400
DIFF_LINES_MAX = 40
# Of what a command has printed and was not seen live, its end.
OUTPUT_LINES_MAX = 8

# Of a command that has not ended.
UNKNOWN_EXIT_CODE = -1

Fields = Mapping[str, Any]


def glimpse(text: str, length_max: int = GLIMPSE) -> str:
    return shortened(one_line(text), length_max)


def call_line(part: Part) -> str:
    """What is being done, in words where the tool is one of ours."""
    name, args = part.tool_name or "", part.args
    if isinstance(args, dict) and (words := _CALLS.get(name)) is not None:
        return words(args)
    return f"{glimpse(name)} {glimpse(as_text(args))}"


def result_line(part: Part) -> str:
    """What has come of it."""
    result = part.result
    if (
        isinstance(result, dict)
        and not part.is_error
        and (words := _RESULTS.get(part.tool_name or "")) is not None
    ):
        return words(result)
    return glimpse(_error_in(result) or as_text(result))


def diff_lines(part: Part) -> Iterator[str]:
    """How files were changed, as far as there is room."""
    lines = [line for diff in _diffs(part.result) for line in diff.splitlines()]
    yield from lines[:DIFF_LINES_MAX]
    if len(lines) > DIFF_LINES_MAX:
        yield f"… {len(lines) - DIFF_LINES_MAX} more lines; `chatd diff` prints all of them"


def output_lines(part: Part) -> list[str]:
    """The end of what a command has printed."""
    output = part.result.get("output") if isinstance(part.result, dict) else None
    if part.tool_name != "execute" or not isinstance(output, str):
        return []
    lines = output.rstrip("\n").splitlines()
    more = len(lines) - OUTPUT_LINES_MAX
    return [*([f"… {more} lines before"] if more > 0 else []), *lines[-OUTPUT_LINES_MAX:]]


def _error_in(result: Any) -> str | None:
    error = result.get("error") if isinstance(result, dict) else None
    return error if isinstance(error, str) else None


def _diffs(result: Any) -> Iterator[str]:
    files = result.get("files") if isinstance(result, dict) else None
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("diff"), str):
            yield file["diff"]


def _command(args: Fields) -> str:
    where = f"  (in {glimpse(str(args['workdir']))})" if args.get("workdir") else ""
    behind = "  &" if args.get("run_in_background") else ""
    return f"$ {glimpse(str(args.get('command', '')), COMMAND_GLIMPSE)}{behind}{where}"


def _reading(args: Fields) -> str:
    offset, limit = args.get("offset"), args.get("limit")
    lines = f" from line {offset}" if offset is not None else ""
    lines += f", {limit} lines" if limit is not None else ""
    return f"Read {glimpse(str(args.get('path', '')))}{lines}"


def _editing(args: Fields) -> str:
    files = args.get("files")
    paths = (
        [str(file.get("path", "")) for file in files if isinstance(file, dict)]
        if isinstance(files, list)
        else []
    )
    return f"Edit {glimpse(', '.join(paths))}"


def _searching(args: Fields) -> str:
    path = args.get("path") or "."
    return f"Search {glimpse(str(args.get('pattern', '')))!r}" + (
        f" in {glimpse(str(path))}" if path != "." else ""
    )


def _named(verb: str, field: str) -> Callable[[Fields], str]:
    return lambda args: f"{verb} {glimpse(str(args.get(field, '')))}".rstrip()


def _ran(result: Fields) -> str:
    code, error = result.get("exit_code"), _error_in(result)
    if error is not None:
        return glimpse(error)
    if code == UNKNOWN_EXIT_CODE:
        return "runs on"
    return "done" if code == 0 else f"exit code {code}"


def _found(result: Fields) -> str:
    paths = result.get("paths")
    count = len(paths) if isinstance(paths, list) else result.get("matches")
    return f"{count:,} found" if isinstance(count, int) else "done"


def _read(result: Fields) -> str:
    count = result.get("lines_read")
    return f"{count:,} lines" if isinstance(count, int) else "done"


def _changed(result: Fields) -> str:
    files = result.get("files")
    return f"{len(files)} changed" if isinstance(files, list) and len(files) > 1 else "done"


_CALLS: Final[Mapping[str, Callable[[Fields], str]]] = {
    "execute": _command,
    "read_file": _reading,
    "write_file": _named("Write", "path"),
    "edit_files": _editing,
    "find_files": _named("Find", "pattern"),
    "search_files": _searching,
    "attach_file": _named("Attach", "path"),
    "fetch_url": _named("Fetch", "url"),
    "read_skill": _named("Read the skill", "name"),
    "spawn_agent": lambda args: (
        f"Start an agent: {glimpse(str(args.get('title') or args.get('prompt', '')))}"
    ),
    "wait_agent": lambda _: "Wait for agents",
    "advisor": lambda args: f"Ask the advisor: {glimpse(str(args.get('question', '')))}",
}
_RESULTS: Final[Mapping[str, Callable[[Fields], str]]] = {
    "execute": _ran,
    "read_file": _read,
    "find_files": _found,
    "search_files": _found,
    "edit_files": _changed,
    "write_file": _changed,
}
