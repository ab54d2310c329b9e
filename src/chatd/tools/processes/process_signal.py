"""process_signal: end a process."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.arguments import typed
from chatd.tools.processes.place import processes_of
from chatd.tools.tool import Setting, Tool, touches_nothing
from chatd.workspaces.processes import ProcessError, Signal

_DONE: Mapping[Signal, str] = {
    Signal.TERMINATE: "The process was asked to end. process_output shows whether it did.",
    Signal.KILL: "The process was killed.",
}


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    process_id: Annotated[str, Meta(min_length=1, description="The id that execute gave.")]
    signal: Annotated[Signal, Meta(description="`terminate` asks it to end, `kill` ends it at once.")]


async def run(args: Args, setting: Setting) -> Json:
    try:
        await processes_of(setting).signal(setting.chat_id, args.process_id, args.signal)
    except ProcessError as error:
        return {"success": False, "message": str(error)}
    return {"success": True, "message": _DONE[args.signal]}


process_signal = Tool(
    name="process_signal",
    description="End a process of this chat, with everything that it has started.",
    arguments=typed(Args),
    effect=Effect.REPEATABLE,
    run=run,
    # A process of this chat, and no other.
    touches=touches_nothing,
)
