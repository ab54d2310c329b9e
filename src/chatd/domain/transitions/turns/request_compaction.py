"""A user asks for a shorter history."""

from msgspec import Struct

from chatd.domain.chat import Status
from chatd.domain.decision.change import Change, Execution, Owned
from chatd.domain.decision.locked import LockedChat
from chatd.errors import NotAllowed


class RequestCompaction(Struct, frozen=True):
    pass


def request_compaction(locked: LockedChat, _: RequestCompaction) -> Change:
    """The chat runs, with a mark that tells the worker why.

    Nothing was said, so without a fresh epoch the previous runner would see nothing new,
    the retries might be spent already, and live parts would be taken for those of before.
    """
    if not locked.chat.projection.replies_since_boundary:
        raise NotAllowed(
            "nothing_to_compact",
            "Nothing has been said since the last summary, so there is nothing to compact.",
        )
    return Change(
        execution=Execution(status=Status.RUNNING, compaction_requested_at=locked.now),
        owned=Owned(None),
        fresh_epoch=True,
    )
