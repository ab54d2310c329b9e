"""The agent has said everything. The next queued message starts the next turn."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import Reason, Status
from chatd.domain.decision.answers import closing
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import starting_with
from chatd.domain.turn_end import TurnEnd

ENDED = "The turn ended."


class FinishTurn(Struct, frozen=True, kw_only=True):
    reason: Reason = Reason.COMPLETE


def finish_turn(locked: LockedChat, command: FinishTurn) -> Change:
    turn_end = TurnEnd(at=locked.now, reason=command.reason)
    if locked.queue:
        return replace(starting_with(locked, locked.head, why=ENDED), turn_end=turn_end)
    return Change(
        turn_end=turn_end,
        execution=Execution(status=Status.WAITING, finish_reason=command.reason),
        append=closing(locked, locked.calls, ENDED),
    )
