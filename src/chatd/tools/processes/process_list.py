"""process_list: the processes of this chat."""

from msgspec import Struct

from chatd.domain.call import Effect
from chatd.domain.ids import SECOND
from chatd.domain.part import Json
from chatd.kit.text import shortened
from chatd.tools.arguments import typed
from chatd.tools.processes.place import processes_of
from chatd.tools.tool import Setting, Tool, ToolError, touches_nothing
from chatd.workspaces.processes import Process, ProcessError

LISTED_MAX = 10
_COMMAND_CHARACTERS_MAX = 500


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    pass


async def run(_: Args, setting: Setting) -> Json:
    try:
        found = await processes_of(setting).list(setting.chat_id)
    except ProcessError as error:
        raise ToolError(str(error)) from error
    return {"processes": [_described(process) for process in found[:LISTED_MAX]]}


def _described(process: Process) -> dict[str, Json]:
    described: dict[str, Json] = {
        "id": process.id,
        "command": shortened(process.command, _COMMAND_CHARACTERS_MAX),
        "workdir": process.workdir,
        "background": process.background,
        "running": process.running,
        "started_at_unix": process.started_micros // SECOND,
    }
    if process.exit_code is not None:
        described["exit_code"] = process.exit_code
    if process.exited_micros is not None:
        described["exited_at_unix"] = process.exited_micros // SECOND
    return described


process_list = Tool(
    name="process_list",
    description="List the processes of this chat: running ones first, then the newest.",
    arguments=typed(Args),
    effect=Effect.READ,
    run=run,
    touches=touches_nothing,
)
