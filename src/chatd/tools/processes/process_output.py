"""process_output: what a process has printed, and whether it still runs."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.kit.clock import Clock
from chatd.tools.arguments import typed
from chatd.tools.processes.duration import seconds_of
from chatd.tools.processes.follow import Follower
from chatd.tools.processes.place import StillUnreachable, last_look, processes_of
from chatd.tools.processes.result import lost_result, result_of
from chatd.tools.tool import Setting, Tool, ToolError, touches_nothing
from chatd.workspaces.processes import Look, Output, ProcessError, Processes, Unreachable

WAIT = "10s"
WAIT_SECONDS_MAX = 3600.0
TAIL_LINES_MAX = 2000
FILTER_WORDS_MAX = 20

RUNNING = "It is still running. Wait again, or give it input or end it with the other process tools."


Offset = Annotated[
    int, Meta(ge=0, description="Show the output from this byte on; next_offset says where to go on.")
]
Tail = Annotated[int, Meta(ge=1, le=TAIL_LINES_MAX, description="Show only the last so many lines.")]


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    process_id: Annotated[str, Meta(min_length=1, description="The id that execute gave.")]
    wait_timeout: Annotated[
        str, Meta(description="How long to wait for its end, like 30s or 5m; 0s only looks. At most 1h.")
    ] = WAIT
    offset: Offset | None = None
    tail: Tail | None = None
    filter: Annotated[
        str | None,
        Meta(description="Show only lines with one of these words: error|failed. Plain words, in any case."),
    ] = None
    model_intent: Annotated[
        str,
        Meta(description="What it is for, in a few words with -ing: 'waiting for the build'. Only shown."),
    ] = ""


def process_output(clock: Clock) -> Tool[Args]:
    return Tool(
        name="process_output",
        description=(
            "Show what a process of this chat has printed, and whether it still runs. Of a long output the "
            "beginning and the end are shown, or what offset, tail or filter choose. Output is kept for an "
            "hour after the end."
        ),
        arguments=typed(Args),
        effect=Effect.READ,
        run=_ProcessOutput(clock).run,
        touches=touches_nothing,
    )


class _ProcessOutput:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def run(self, args: Args, setting: Setting) -> Json:
        processes = processes_of(setting)
        seconds = seconds_of("wait_timeout", args.wait_timeout, seconds_max=WAIT_SECONDS_MAX)
        look = _look(args)
        began = self._clock.monotonic()
        try:
            output = await self._waited(processes, args, setting, look, seconds)
        except StillUnreachable as lost_twice:
            return lost_result(args.process_id, str(lost_twice), took_seconds=self._clock.monotonic() - began)
        except ProcessError as error:
            return {"success": False, "error": str(error)}
        result = result_of(output, took_seconds=self._clock.monotonic() - began, strategy=_strategy(args))
        process = output.process
        result |= {"command": process.command, "running": process.running}
        if process.running:
            result["note"] = RUNNING
        if args.offset is not None:
            result |= {"offset": output.offset, "next_offset": output.next_offset}
        return result

    async def _waited(
        self, processes: Processes, args: Args, setting: Setting, look: Look, seconds: float
    ) -> Output:
        try:
            now = await processes.output(setting.chat_id, args.process_id, look)
            if seconds <= 0 or not now.process.running:
                return now
            follower = Follower(processes, args.process_id, setting, self._clock, offset=now.total_bytes)
            await follower.follow(seconds)
            return await processes.output(setting.chat_id, args.process_id, look)
        except Unreachable as lost:
            return await last_look(processes, setting, args.process_id, lost)


def _look(args: Args) -> Look:
    if args.offset is not None and (args.tail is not None or args.filter is not None):
        raise ToolError("offset cannot be combined with tail or filter. Give one or the other.")
    words = tuple(word for word in (args.filter or "").split("|") if word.strip())
    if len(words) > FILTER_WORDS_MAX:
        raise ToolError(f"filter has {len(words)} words, and at most {FILTER_WORDS_MAX} are possible.")
    return Look(offset=args.offset, tail=args.tail, words=words)


def _strategy(args: Args) -> str:
    """How it was chosen what is shown."""
    chosen = (("offset", args.offset), ("filter", args.filter), ("tail", args.tail))
    return next((name for name, value in chosen if value is not None), "head_tail")
