"""Listening to the hints of a test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chatd.hints.hint import Hint
from chatd.hints.memory import Inbox, MemoryBus


class Everything(Inbox):
    """An inbox that keeps all hints in order, not only the newest."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Hint] = []

    def put(self, hint: Hint) -> None:
        self.heard.append(hint)


@contextmanager
def hearing(bus: MemoryBus) -> Iterator[Callable[[], list[Hint]]]:
    """Every hint published inside the block; each call tells those since the one before."""
    inbox = Everything()
    bus._inboxes.add(inbox)

    def since_last() -> list[Hint]:
        fresh, inbox.heard = inbox.heard, []
        return fresh

    yield since_last
    bus._inboxes.discard(inbox)
