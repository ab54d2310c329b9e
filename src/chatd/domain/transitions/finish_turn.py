"""The agent has said everything. The next queued message starts the next turn."""

from enum import StrEnum

from msgspec import Struct

from chatd.domain.answers import closing
from chatd.domain.change import Change, Execution
from chatd.domain.chat import Status
from chatd.domain.locked import LockedChat
from chatd.domain.turns import starting_with

ENDED = "The turn ended."


class Reason(StrEnum):
    """Why a turn ended by itself."""

    COMPLETE = "complete"
    STOP_AFTER_TOOL = "stop_after_tool"
    MAX_STEPS = "max_steps"


class FinishTurn(Struct, frozen=True, kw_only=True):
    reason: Reason = Reason.COMPLETE


def finish_turn(locked: LockedChat, _: FinishTurn) -> Change:
    if locked.queue:
        return starting_with(locked, locked.head, why=ENDED)
    return Change(execution=Execution(status=Status.WAITING), append=closing(locked, locked.calls, ENDED))
