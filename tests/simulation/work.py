"""Chats that work on files: a tool of each effect, what users have the agent do with them, and restores.

Each file that `write_file` writes is written by one call: its name tells by which.
"""

import random
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.kit.clock import Clock
from chatd.tools.arguments import typed
from chatd.tools.files.read_file import read_file
from chatd.tools.files.write_file import write_file
from chatd.tools.tool import AnyTool, Setting, Tool
from tests.simulation.servers.disk import CallName, DiskFiles
from tests.simulation.witnesses.witness import Witness

if TYPE_CHECKING:
    from chatd.workspaces.files import Files

JOT = "jot"
LOG = "log.txt"
WORK_SHARE = 0.6
# The ids of some calls are used again, as some models do.
SCRIPTS = (
    """\
call @{name}-a jot {{"command": "jot {name}-a"}}
next
say answer to {name}""",
    """\
call @{name}-a write_file {{"path": "{name}.txt", "content": "{name}"}}
call @again jot {{"command": "jot {name}-b", "seconds": 1}}
next
call @{name}-c read_file {{"path": "log.txt"}}
call @again jot {{"command": "jot {name}-d"}}
next
say answer to {name}""",
    """\
call @{name}-a read_file {{"path": "log.txt"}}
next
call @{name}-b write_file {{"path": "{name}.txt", "content": "{name}"}}
next
call @{name}-c jot {{"command": "jot {name}-c", "seconds": 2}}
next
say answer to {name}""",
)


class Restore(Struct, frozen=True, kw_only=True):
    """What a user was told of a restore."""

    chat_id: str
    message_id: int
    asked: float
    told: float
    status: int
    # Of a refusal.
    code: str | None


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    command: str
    seconds: float = 0.0


def work_tools(witness: Witness, clock: Clock) -> list[AnyTool]:
    async def jot(args: Args, setting: Setting) -> Json:
        files: Files = setting.place().files
        witness.saw(f"{JOT} {setting.call_id} {setting.chat_id} {args.command}")
        by = CallName(setting.chat_id, setting.message_id, setting.call_id)
        await cast("DiskFiles", files).append(LOG, args.command, by)
        await clock.sleep(args.seconds)
        return f"ran {args.command}"

    tool = Tool(
        name=JOT,
        description="Write a line behind those of a file. What is written twice is there twice.",
        arguments=typed(Args),
        effect=Effect.ONCE,
        run=jot,
        touches=lambda args: Touches(commands=(args.command,)),
    )
    return [tool, read_file, write_file]


def work_script(name: str, chance: random.Random) -> str:
    return f"# {name}\n" + chance.choice(SCRIPTS).format(name=name)


def asked_command(waiting: Any) -> str:
    """What a person is asked for, in words."""
    args = waiting["args"]
    return str(args["command"]) if "command" in args else f"write {args['path']}"
