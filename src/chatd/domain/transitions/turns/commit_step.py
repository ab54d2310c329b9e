"""A worker saves a reply, tool results or a summary."""

from msgspec import Struct

from chatd.domain.call import Plan
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.left_out import without_unaffordable_files
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.projection import Counted
from chatd.domain.decision.turns import steering_in
from chatd.domain.message import Draft
from chatd.errors import BadInput


class CommitStep(Struct, frozen=True, kw_only=True):
    messages: tuple[Draft, ...]
    # How the calls of a reply are to be treated.
    plans: tuple[Plan, ...] = ()
    # The step was the compaction that a user had asked for.
    consumes_request: bool = False
    # Of what was refused on the way to it.
    counted: Counted | None = None


def commit_step(locked: LockedChat, command: CommitStep) -> Change:
    """Results bring the steered messages in behind them, if they leave no call open."""
    if not command.messages:
        raise BadInput("no_messages", "A step without messages has nothing to commit.")
    execution = None
    if command.consumes_request and locked.chat.compaction_requested_at is not None:
        execution = Execution(status=locked.chat.status)
    messages = without_unaffordable_files(locked, command.messages)
    change = Change(execution=execution, append=messages, plans=command.plans, counted=command.counted)
    return steering_in(locked, change)
