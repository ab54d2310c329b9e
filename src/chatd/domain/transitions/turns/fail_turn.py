"""A worker gives up. Open calls stay open: a retry finds them as they were.

Those whose start is noted and that have not begun are open again: only this worker knows that they never ran.
"""

from msgspec import Struct

from chatd.domain.chat import Failure, Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.unbegun import noted_here, reopened
from chatd.domain.ids import CallId
from chatd.domain.turn_end import TurnEnd


class FailTurn(Struct, frozen=True, kw_only=True):
    failure: Failure
    unbegun: tuple[CallId, ...] = ()


def fail_turn(locked: LockedChat, command: FailTurn) -> Change:
    unbegun = [call for call in locked.calls if call.id in command.unbegun and noted_here(locked, call)]
    return Change(
        calls=tuple(map(reopened, unbegun)),
        execution=Execution(status=Status.ERROR, last_error=command.failure),
        turn_end=TurnEnd(at=locked.now, error=command.failure),
    )
