"""A worker takes a chat. Whether it may is a fence's question, asked under the same lock."""

from msgspec import Struct

from chatd.domain.chat import Lease, Status
from chatd.domain.decision.change import Change, Owned
from chatd.domain.decision.locked import LockedChat


class Acquire(Struct, frozen=True, kw_only=True):
    lease: Lease
    # Count the first attempt in the same transaction, if there is something to attempt now.
    begins: bool = False


def acquire(locked: LockedChat, command: Acquire) -> Change:
    chat = locked.chat
    at_work = chat.status is Status.RUNNING and not chat.archived and chat.retry_state is None
    return Change(owned=Owned(command.lease), next_attempt=command.begins and at_work)
