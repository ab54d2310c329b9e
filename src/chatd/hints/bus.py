"""What every bus promises, and what it does not.

A hint published after a commit reaches the listeners of this moment, perhaps late, perhaps
twice, perhaps not at all. Every listener must come to the same conclusion without it.
`tests/hints/test_contract.py` has the promises as tests, for every bus.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from chatd.domain.ids import ChatId, UserId
from chatd.hints.hint import Hint, News
from chatd.kit.concurrency.bell import Bell

N = TypeVar("N", bound=News)


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

    def listening(self, bell: Bell | None = None) -> AbstractContextManager[Heard]:
        """Hints about every chat. The bell, if there is one, is rung for each."""
        ...

    def listening_to_chat(self, chat_id: ChatId, bell: Bell) -> AbstractContextManager[Heard]:
        """Hints about one chat. The bell is rung for each."""
        ...

    def listening_to_owner(self, owner_id: UserId, bell: Bell) -> AbstractContextManager[Heard]:
        """Hints about one user's chats. The bell is rung for each, and when hints may have been lost."""
        ...

    def watched_chats(self) -> list[ChatId]:
        """The chats that have a listener of their own here."""
        ...

    def nudge(self, hint: Hint) -> None:
        """Tell only those here who listen to that chat in particular."""
        ...

    def announce(self, news: News) -> None:
        """As `publish`, for news. Who listens here has heard it when this returns."""
        ...

    def listening_to_news(self, kind: type[N], hear: Callable[[N], None]) -> AbstractContextManager[None]:
        """News of this kind, each at once; `hear` neither waits nor fails."""
        ...

    @property
    def is_alone(self) -> bool:
        """Whether no other process is known that could hear us."""
        ...

    @property
    def is_away(self) -> bool:
        """Whether nothing of other processes can be heard at the moment."""
        ...

    @property
    def lag_seconds(self) -> float:
        """How long a word takes to other processes, as last measured; within one process none."""
        ...
