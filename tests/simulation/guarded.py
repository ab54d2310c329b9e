"""Tools of every effect of which people are asked, and the rules of the simulated deployment.

Each runs a command that does nothing, and tells the world outside of all processes which one, and where.
"""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from chatd.approvals.judge import Rules
from chatd.domain.approvals.rule import Rule, Touches, Verdict
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.kit.clock import Clock
from chatd.tools.arguments import typed
from chatd.tools.tool import AnyTool, Setting, Tool
from tests.simulation.witnesses.witness import Witness
from tests.simulation.work import JOT

# A command that no one may run: by a rule of the deployment, and by one of the user that is always there.
BANNED, NEVER = "banned", "never"
DEPLOYMENT = Rules(deployment=(Rule(verdict=Verdict.DENY, words=(BANNED, "*")),))
OF_USER = Rule(verdict=Verdict.DENY, words=(NEVER, "*"))

EFFECTS = {"look": Effect.READ, "note": Effect.REPEATABLE, "fire": Effect.ONCE}


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    command: str
    seconds: float = 0.0


class Run(Struct, frozen=True):
    """What one of them did."""

    at: float
    tool: str
    call_id: str
    chat_id: str
    command: str


def guarded_tools(witness: Witness, clock: Clock) -> Sequence[AnyTool]:
    def runs(name: str) -> Callable[[Args, Setting], Awaitable[Json]]:
        async def run(args: Args, setting: Setting) -> Json:
            witness.saw(f"{name} {setting.call_id} {setting.chat_id} {args.command}")
            await clock.sleep(args.seconds)
            return f"ran {args.command}"

        return run

    return [
        Tool(
            name=name,
            description="Run a command that does nothing.",
            arguments=typed(Args),
            effect=effect,
            run=runs(name),
            touches=lambda args: Touches(commands=(args.command,)),
        )
        for name, effect in EFFECTS.items()
    ]


def runs_of(witness: Witness) -> list[Run]:
    """All that they ever did, in its order."""
    seen = [(at, line.split(" ", 3)) for at, line in witness.seen]
    return [Run(at, *words) for at, words in seen if words[0] in (*EFFECTS, JOT)]
