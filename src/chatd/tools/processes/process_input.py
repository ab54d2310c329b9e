"""process_input: type something into a process."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.arguments import typed
from chatd.tools.processes.place import processes_of
from chatd.tools.tool import Setting, Tool, ToolError
from chatd.workspaces.processes import ProcessError

INPUT_BYTES_MAX = 64 * 1024


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    process_id: Annotated[str, Meta(min_length=1, description="The id that execute gave.")]
    input: Annotated[
        str, Meta(description="What the process reads next. A line ends with a newline, which is not added.")
    ]
    end: Annotated[bool, Meta(description="Whether this is all: the process then reads the end.")] = False


async def run(args: Args, setting: Setting) -> Json:
    data = args.input.encode("utf-8", "replace")
    if len(data) > INPUT_BYTES_MAX:
        raise ToolError(
            f"The input has {len(data)} bytes, and at most {INPUT_BYTES_MAX} are possible. Write it to a "
            "file, and let the command read that."
        )
    try:
        await processes_of(setting).input(setting.chat_id, args.process_id, data, end=args.end)
    except ProcessError as error:
        return {"success": False, "message": str(error)}
    ended = " Its input is over now." if args.end else ""
    return {"success": True, "message": f"The process was given {len(data)} bytes.{ended}"}


process_input = Tool(
    name="process_input",
    description=(
        "Give input to a running process that was started with keep_input_open. process_output shows what "
        "it answers."
    ),
    arguments=typed(Args),
    effect=Effect.ONCE,
    run=run,
    # What a process does with its input cannot be told: it may be a shell.
    touches=None,
)
