"""execute: run a shell command in the workspace."""

import re
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.kit.clock import Clock
from chatd.kit.ids import new_id
from chatd.tools.arguments import typed
from chatd.tools.processes.duration import seconds_of
from chatd.tools.processes.follow import Follower
from chatd.tools.processes.place import StillUnreachable, last_look, processes_of
from chatd.tools.processes.result import lost_result, result_of
from chatd.tools.tool import Setting, Tool, ToolError
from chatd.workspaces.processes import CannotStart, Look, Output, Process, Processes, Start, Unreachable

TIMEOUT = "10s"
TIMEOUT_SECONDS_MAX = 3600.0
# A start whose answer was lost is asked for again, with the same id.
_STARTS_MAX = 2
# How much of the time-ordered id is chance; the rest would only be long to write.
_ID_CHARACTERS = 12

# `&` at the end, but not of `&&`, `|&` or `>&`, and not escaped.
_BACKGROUND = re.compile(r"(?P<command>.*[^&|<>\\\s])\s*&\s*", re.DOTALL)

# Commands for which there is a better tool.
NOTES: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\s*cat\s+[^|<>;&]+"), "Prefer read_file to show files: it numbers lines, and reads parts."),
    (
        re.compile(r"\s*(?:rg|grep)\s.*(?:--include-all|(?<=\s)-\w*l\b|--files-with-matches).*", re.DOTALL),
        "Prefer search_files and find_files to search files, and read_file to show them.",
    ),
)


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    command: Annotated[str, Meta(description="The command, run by `sh -c`.")]
    timeout: Annotated[
        str,
        Meta(
            description="How long to wait for its end, like 30s or 5m; at most 1h. A command that takes "
            "longer runs on, and process_output shows what becomes of it."
        ),
    ] = TIMEOUT
    workdir: Annotated[
        str | None, Meta(description="The directory to run it in; the workspace's by default.")
    ] = None
    run_in_background: Annotated[
        bool, Meta(description="Return at once, and leave the command running: for servers and the like.")
    ] = False
    keep_input_open: Annotated[
        bool, Meta(description="Whether process_input can reach the command. Otherwise its input is empty.")
    ] = False
    model_intent: Annotated[
        str, Meta(description="What it is for, in a few words with -ing: 'running the tests'. Only shown.")
    ] = ""


def execute(clock: Clock) -> Tool[Args]:
    return Tool(
        name="execute",
        description=(
            "Run a shell command in the workspace. Output and errors come back together, of a long output "
            "its beginning and its end; process_output shows the rest. There is no terminal: programs that "
            "ask questions or show screens do not work. What a command leaves running ends with it, so start "
            "servers with run_in_background, each with a command of its own."
        ),
        arguments=typed(Args),
        effect=Effect.ONCE,
        run=_Execute(clock).run,
        touches=touches,
    )


class _Execute:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def run(self, args: Args, setting: Setting) -> Json:
        processes = processes_of(setting)
        seconds = seconds_of("timeout", args.timeout, seconds_max=TIMEOUT_SECONDS_MAX)
        began = self._clock.monotonic()
        start = _start(args, setting)
        try:
            process = await _started(processes, start)
        except Unreachable as lost:
            return lost_result(start.id, _unknown_start(start.id, lost), took_seconds=self._since(began))
        if start.background:
            return _in_background(process, took_ms=round(self._since(began) * 1000))
        try:
            output = await self._waited(processes, process, setting, seconds)
        except StillUnreachable as lost_twice:
            return lost_result(process.id, str(lost_twice), took_seconds=self._since(began))
        result = result_of(output, took_seconds=self._since(began))
        return {**result, **_unfinished(output, args.timeout), **_note(args.command)}

    async def _waited(
        self, processes: Processes, process: Process, setting: Setting, seconds: float
    ) -> Output:
        try:
            await Follower(processes, process.id, setting, self._clock).follow(seconds)
            return await processes.output(setting.chat_id, process.id, Look())
        except Unreachable as lost:
            return await last_look(processes, setting, process.id, lost)

    def _since(self, began: float) -> float:
        return self._clock.monotonic() - began


def touches(args: Args) -> Touches:
    """As it was written: an `&` at the end changes nothing about what is run."""
    if args.workdir is None:
        return Touches(commands=(args.command,))
    return Touches(commands=(args.command,), directory=args.workdir, reads=(args.workdir,))


def _start(args: Args, setting: Setting) -> Start:
    left_by_shell = _BACKGROUND.fullmatch(args.command)
    return Start(
        id=new_id().replace("-", "")[-_ID_CHARACTERS:],
        chat_id=setting.chat_id,
        # The shell would leave the process behind where we cannot see it.
        command=left_by_shell["command"] if left_by_shell else args.command,
        workdir=args.workdir,
        background=args.run_in_background or left_by_shell is not None,
        takes_input=args.keep_input_open,
        read_only=setting.read_only,
    )


async def _started(processes: Processes, start: Start) -> Process:
    for _ in range(_STARTS_MAX - 1):
        try:
            return await _start_once(processes, start)
        except Unreachable:
            continue
    return await _start_once(processes, start)


async def _start_once(processes: Processes, start: Start) -> Process:
    try:
        return await processes.start(start)
    except CannotStart as error:
        raise ToolError(str(error)) from error


def _unknown_start(process_id: str, lost: Unreachable) -> str:
    return (
        f"It is not known whether the command was started ({lost}). Look with process_output and "
        f"{process_id} before you run it again."
    )


def _in_background(process: Process, *, took_ms: int) -> Json:
    return {
        "success": True,
        "output": "",
        "exit_code": 0 if process.exit_code is None else process.exit_code,
        "wall_duration_ms": took_ms,
        "background_process_id": process.id,
        "backgrounded": True,
    }


def _unfinished(output: Output, timeout: str) -> dict[str, Json]:
    if not output.process.running:
        return {"background_process_id": output.process.id} if _is_cut(output) else {}
    return {
        "success": False,
        "error": f"The command has not ended within {timeout}, and runs on. Wait for it with process_output, "
        "or end it with process_signal.",
        "background_process_id": output.process.id,
    }


def _is_cut(output: Output) -> bool:
    return output.shown_bytes < output.total_bytes


def _note(command: str) -> dict[str, Json]:
    found = next((note for pattern, note in NOTES if pattern.fullmatch(command.strip())), None)
    return {"note": found} if found else {}
