"""A worker gives up. Open calls stay open: a retry finds them as they were."""

from msgspec import Struct

from chatd.domain.chat import Failure, Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.turn_end import TurnEnd


class FailTurn(Struct, frozen=True, kw_only=True):
    failure: Failure


def fail_turn(locked: LockedChat, command: FailTurn) -> Change:
    return Change(
        execution=Execution(status=Status.ERROR, last_error=command.failure),
        turn_end=TurnEnd(at=locked.now, error=command.failure),
    )
