"""A row that fits no state is set right: it becomes a failed turn, which a person can go on from."""

from msgspec import Struct

from chatd.domain.call import awaits_action
from chatd.domain.chat import Failure, Status
from chatd.domain.decision.answers import closing
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.turn_end import TurnEnd

INCONSISTENT = Failure(
    message="This chat was found in an inconsistent state and has been stopped. Send a message to go on.",
    kind="generic",
)
REPAIRED = "The chat was repaired."


class Repair(Struct, frozen=True, kw_only=True):
    failure: Failure = INCONSISTENT


def repair(locked: LockedChat, command: Repair) -> Change:
    asked = [call for call in locked.calls if awaits_action(call)]
    return Change(
        execution=Execution(status=Status.ERROR, last_error=command.failure),
        turn_end=TurnEnd(at=locked.now, error=command.failure),
        append=closing(locked, asked, REPAIRED),
    )
