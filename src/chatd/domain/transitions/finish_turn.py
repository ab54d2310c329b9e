"""The agent has said everything. The next queued message starts the next turn."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.answers import closing
from chatd.domain.change import Change, Execution
from chatd.domain.chat import Reason, Status
from chatd.domain.locked import LockedChat
from chatd.domain.turn_end import TurnEnd
from chatd.domain.turns import starting_with

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
