"""Fences: what must still be true of a chat when a worker's result arrives.

Checked under the row lock, in the transaction that writes. A worker that lost its lease,
or whose chat moved on, cannot write.
"""

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import AT_WORK, Lease, Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import WorkerId
from chatd.errors import Stale


class HeldBy(Struct, frozen=True, kw_only=True):
    """The chat is ours and has not moved on. None leaves a condition out."""

    lease: Lease
    status: Status | None = None
    history: int | None = None
    attempt: int | None = None


class NeedsWorker(Struct, frozen=True, kw_only=True):
    """The chat has work to do and no living worker that does it.

    `unless_lost_by` is a worker that may have taken the chat without knowing: its commit succeeded, and
    the answer never came.
    """

    unless_lost_by: WorkerId | None = None


class AtHistory(Struct, frozen=True):
    """Nothing was said since: for what is written about a chat by a task that does not hold it."""

    history: int


Fence: TypeAlias = HeldBy | NeedsWorker | AtHistory


def has_work(locked: LockedChat) -> bool:
    """Whether there is something to do for a worker now. It does not have to hold a chat that only waits:
    for a person, or for a client until the deadline, by the database's clock.
    """
    chat = locked.chat
    if chat.status is Status.REQUIRES_ACTION:
        return chat.deadline_at is not None and chat.deadline_at <= locked.now
    return chat.status in AT_WORK and not chat.archived


def needs_worker(locked: LockedChat) -> bool:
    driven = locked.chat.lease is not None and locked.lease_is_fresh
    return has_work(locked) and not driven


def check(fence: Fence, locked: LockedChat) -> None:
    """Raises Stale when the fence does not hold."""
    chat = locked.chat
    if not _holds(fence, locked):
        raise Stale(
            f"chat {chat.id} has moved on: it is {chat.situation}, at snapshot {chat.versions.snapshot}"
        )


def _holds(fence: Fence, locked: LockedChat) -> bool:
    chat = locked.chat
    match fence:
        case NeedsWorker(unless_lost_by=worker_id):
            lost = chat.lease is not None and chat.lease.worker_id == worker_id
            return needs_worker(replace(locked, lease_is_fresh=locked.lease_is_fresh and not lost))
        case AtHistory(history=history):
            return chat.versions.history == history
        case HeldBy():
            return (
                chat.lease == fence.lease
                and not chat.archived
                and fence.status in (None, chat.status)
                and fence.history in (None, chat.versions.history)
                and fence.attempt in (None, chat.versions.attempt)
            )
