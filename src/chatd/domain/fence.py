"""Fences: what must still be true of a chat when a worker's result arrives.

Checked under the row lock, in the transaction that writes. A worker that lost its lease,
or whose chat moved on, cannot write.
"""

from typing import TypeAlias

from msgspec import Struct

from chatd.domain.chat import RUNNABLE, Lease, Status
from chatd.domain.locked import LockedChat
from chatd.errors import Stale


class HeldBy(Struct, frozen=True, kw_only=True):
    """The chat is ours and has not moved on. None leaves a condition out."""

    lease: Lease
    status: Status | None = None
    history: int | None = None
    attempt: int | None = None


class NeedsWorker(Struct, frozen=True):
    """The chat has work to do and nobody alive to do it."""


Fence: TypeAlias = HeldBy | NeedsWorker


def needs_worker(locked: LockedChat) -> bool:
    chat = locked.chat
    return chat.status in RUNNABLE and not chat.archived and not (chat.lease and locked.lease_is_fresh)


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
        case NeedsWorker():
            return needs_worker(locked)
        case HeldBy():
            return (
                chat.lease == fence.lease
                and not chat.archived
                and fence.status in (None, chat.status)
                and fence.history in (None, chat.versions.history)
                and fence.attempt in (None, chat.versions.attempt)
            )
