"""What a terminal says of a call (pure): one line, in words where the tool is one of ours."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from chatd.client.answers import Part
from chatd.kit.codec import as_text
from chatd.kit.text import one_line, shortened

# Of arguments only the beginning is shown.
GLIMPSE = 100
COMMAND_GLIMPSE = 400

ADVISOR: Final = "advisor"
SUMMARY: Final = "chat_summarized"
WAIT_AGENT: Final = "wait_agent"

Fields = Mapping[str, Any]


def glimpse(text: str, length_max: int = GLIMPSE) -> str:
    return shortened(one_line(text), length_max)


def call_line(part: Part) -> str:
    """What is being done."""
    return line_for(part.tool_name or "", part.args)


def line_for(name: str, args: Any) -> str:
    fields = args if isinstance(args, dict) else {}
    if (words := _CALLS.get(name)) is not None and (fields or name in _WITHOUT_ARGS):
        return words(fields)
    return f"{glimpse(name)} {glimpse(as_text(args)) if args not in (None, {}) else ''}".rstrip()


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
    named = [file for file in files if isinstance(file, dict)] if isinstance(files, list) else []
    return f"Edit {glimpse(', '.join(str(file.get('path', '')) for file in named))}"


def _searching(args: Fields) -> str:
    path = args.get("path") or "."
    where = f" in {glimpse(str(path))}" if path != "." else ""
    return f"Search {glimpse(str(args.get('pattern', '')))!r}{where}"


def _starting(args: Fields) -> str:
    return f"Start an agent: {glimpse(str(args.get('title') or args.get('prompt', '')))}"


def _named(verb: str, field: str) -> Callable[[Fields], str]:
    return lambda args: f"{verb} {glimpse(str(args.get(field, '')))}".rstrip()


def _said(words: str) -> Callable[[Fields], str]:
    return lambda _: words


# Those that say enough by themselves.
_WITHOUT_ARGS: Final = frozenset({WAIT_AGENT, SUMMARY, "list_agents", "process_list", "propose_plan"})
_CALLS: Final[Mapping[str, Callable[[Fields], str]]] = {
    "execute": _command,
    "process_output": _named("Look at process", "process_id"),
    "process_input": _named("Type into process", "process_id"),
    "process_signal": _named("Signal process", "process_id"),
    "process_list": _said("List processes"),
    "read_file": _reading,
    "write_file": _named("Write", "path"),
    "edit_files": _editing,
    "find_files": _named("Find", "pattern"),
    "search_files": _searching,
    "attach_file": _named("Attach", "path"),
    "fetch_url": _named("Fetch", "url"),
    "read_skill": _named("Read the skill", "name"),
    "spawn_agent": _starting,
    WAIT_AGENT: _said("Wait for agents"),
    "message_agent": _named("Tell an agent:", "message"),
    "interrupt_agent": _said("Stop an agent"),
    "merge_agent": _said("Take over the changes of an agent"),
    "list_agents": _said("List agents"),
    "propose_plan": _said("Propose a plan"),
    "ask_user_question": _said("Ask you"),
    ADVISOR: _named("Ask the advisor:", "question"),
    SUMMARY: _said("Sum up what was said"),
}
