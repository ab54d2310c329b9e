"""A user wants it tried again: after a failure, or now instead of after a pause."""

from msgspec import Struct

from chatd.domain.chat import Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.errors import NotAllowed


class RetryTurn(Struct, frozen=True):
    pass


def retry_turn(locked: LockedChat, _: RetryTurn) -> Change:
    """The turn goes on from the last commit, with a fresh epoch: its attempts are counted anew."""
    chat = locked.chat
    if chat.status is Status.RUNNING and chat.retry_state is None:
        raise NotAllowed("nothing_to_retry", "The agent is at work; nothing waits to be tried again.")
    execution = Execution(status=Status.RUNNING, compaction_requested_at=chat.compaction_requested_at)
    return Change(execution=execution, fresh_epoch=True, resumes=chat.status is Status.ERROR)
