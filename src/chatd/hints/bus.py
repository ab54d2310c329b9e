"""What every bus promises, and what it does not.

A hint published after a commit reaches the listeners of this moment, perhaps late, perhaps
twice, perhaps not at all. Every listener must come to the same conclusion without it.
`tests/hints/test_contract.py` has the promises as tests, for every bus.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from chatd.domain.ids import ChatId, UserId
from chatd.hints.hint import CatalogChanged, Hint
from chatd.kit.concurrency.bell import Bell


class Heard(Protocol):
    """One listener's hints."""

    def take(self) -> list[Hint]:
        """Everything that arrived since the last call; perhaps nothing."""
        ...

    async def wait_for_hints(self) -> list[Hint]:
        """As `take`, but waits until there is something."""
        ...


class Bus(Protocol):
    def publish(self, hint: Hint) -> None:
        """Never waits, never fails: the commit has happened, the hint is only a tap on the shoulder."""
        ...

    def listening(self) -> AbstractContextManager[Heard]:
        """Hints about every chat."""
        ...

    def listening_to_chat(self, chat_id: ChatId, bell: Bell) -> AbstractContextManager[Heard]:
        """Hints about one chat. The bell is rung for each."""
        ...

    def listening_to_owner(self, owner_id: UserId, bell: Bell) -> AbstractContextManager[Heard]:
        """Hints about one user's chats. The bell is rung for each."""
        ...

    def watched_chats(self) -> list[ChatId]:
        """The chats that have a listener of their own here."""
        ...

    def nudge(self, hint: Hint) -> None:
        """Tell only those here who listen to that chat in particular."""
        ...

    def announce(self, change: CatalogChanged) -> None:
        """As `publish`, for the catalog. Who listens here has heard it when this returns."""
        ...

    def listening_to_catalog(self, hear: Callable[[CatalogChanged], None]) -> AbstractContextManager[None]:
        """Changes of the catalog, each at once; `hear` neither waits nor fails."""
        ...
