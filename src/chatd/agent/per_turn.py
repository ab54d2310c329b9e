"""What is made from the chat once for each turn, and not again at each step: its toolbox, its prompts."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from chatd.domain.chat import Chat
from chatd.domain.usage.fullness import may_be_shortened
from chatd.providers.model import Model

T = TypeVar("T")


class PerTurn(Generic[T]):
    """Keeps what was made for each model of this turn: mostly one, and the summarizer.

    It is made anew for another turn, and when what the chat is set up with, or told of its workspace, has
    changed in the middle of one. So it is when a model was found to have less room than was known, and when
    it may not be shown everything any more: from then on there is something to look up.
    """

    def __init__(self, make: Callable[[Chat, Model], Awaitable[T]]) -> None:
        self._make = make
        self._made_for: object = None
        self._made: dict[tuple[str, int, bool], T] = {}

    async def of(self, chat: Chat, model: Model) -> T:
        known = chat.projection
        made_for = (known.turn_start, chat.versions.setup, chat.pin_version)
        if made_for != self._made_for:
            self._made_for, self._made = made_for, {}
        place = (model.name, model.context_limit, may_be_shortened(known, model.context_limit))
        if place not in self._made:
            self._made[place] = await self._make(chat, model)
        return self._made[place]
