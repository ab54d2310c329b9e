"""The version rules, all of them, in one place.

    snapshot   +1 for every transaction that changes the chat, before anything else
    revision   of a message: the snapshot in which it was added, deleted, restored, or told how its turn ended
    history    := snapshot when the revision of a message is, or when a fresh epoch is granted
    attempt    := 0 whenever history is set; +1 when a worker begins a model call
    queue      := snapshot when a queued message is added, removed or moved
    retry      := snapshot when the pending retry changes, also when it is cleared
    setup      := snapshot when what the chat is set up with changes; 0: it never did
    access     := snapshot when others may do something with the chat than before; 0: that never was

The pending retry belongs to an attempt on a history: when either moves, it is cleared.
"""

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

Pending = TypeVar("Pending")


class Versions(Struct, frozen=True, kw_only=True):
    snapshot: int = 0
    history: int = 0
    queue: int = 0
    retry: int = 0
    attempt: int = 0
    setup: int = 0
    access: int = 0


class Touched(Struct, frozen=True, kw_only=True):
    """What a change touched, as far as versions care."""

    history: bool = False
    queue: bool = False
    attempt: bool = False
    setup: bool = False
    access: bool = False


def begin(versions: Versions) -> Versions:
    """Open a new snapshot. Once per transaction, however many commands it holds."""
    return replace(versions, snapshot=versions.snapshot + 1)


def advance(
    versions: Versions, touched: Touched, before: Pending | None, wanted: Pending | None
) -> tuple[Versions, Pending | None]:
    """The versions after a change, and the pending retry after it.

    `before` is the pending retry as it was, `wanted` the one that the change asks for.
    """
    snapshot = versions.snapshot
    attempt = 0 if touched.history else versions.attempt + touched.attempt
    pending = None if touched.history or touched.attempt else wanted
    after = Versions(
        snapshot=snapshot,
        history=snapshot if touched.history else versions.history,
        queue=snapshot if touched.queue else versions.queue,
        retry=versions.retry if pending == before else snapshot,
        attempt=attempt,
        setup=snapshot if touched.setup else versions.setup,
        access=snapshot if touched.access else versions.access,
    )
    return after, pending
