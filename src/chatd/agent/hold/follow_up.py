"""What follows a step: decided by `next_step` under the lock of the commit that ends the step.

So a turn that is over ends in the same transaction as its last reply, and an attempt that is bound to follow
is counted there too, and the start of a call that runs alone is noted: it needs no transaction of its own.
Nothing is predicted: the queue and the ledger are those of that very moment.
"""

from collections.abc import Sequence

from chatd.agent.hold.hold import Hold
from chatd.domain.call import Call, CallState, Effect
from chatd.domain.chat import Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.next_step import Compact, Generate, Limits, RunTools, next_step, read_turn
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Then


def follow_up(hold: Hold, limits: Limits) -> Then:
    """What to do with the chat as a step leaves it."""

    def follow(locked: LockedChat) -> Sequence[Command]:
        # A process that is about to end makes no further attempt, so it counts none. Nor is one made for an
        # owner who was shut out.
        begin = () if hold.leaving or locked.owner_shut_out else (BeginAttempt(),)
        if locked.chat.status is not Status.RUNNING:
            return ()
        match next_step(read_turn(locked.chat, locked.calls, limits)):
            case RunTools(calls=(call,)) if begin and _begins_at_once(hold, call):
                return (*begin, StartCalls(message_id=call.message_id, call_ids=(call.id,)))
            case Generate() | RunTools() | Compact():
                return begin
            case FinishTurn() as finish:
                # A queued message begins the next turn at once.
                return (finish, *(begin if locked.queue else ()))
            case RequireAction() as transition:
                return (transition,)

    return follow


def _begins_at_once(hold: Hold, call: Call) -> bool:
    """Whether the ledger has to know of the call before it begins, and nothing that takes long stands before.

    Files that are kept first take so long that a crash could come between, and the model would be told that
    the call may have run.
    """
    if hold.setup.workspace is not None and hold.keeps_files:
        return False
    return call.state is CallState.OPEN and call.effect is not Effect.READ
