"""Chats that would wait for a slot here, and are left to other workers, which may have one.

Each for a moment: where no worker has a slot, it does not matter in whose line a chat waits. A process that
is alone leaves nothing to others.
"""

from collections.abc import Callable

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, UserId
from chatd.hints.bus import Bus
from chatd.kit.clock import Clock

# A worker that has a slot takes a chat within milliseconds of its hint.
LEFT_SECONDS = 0.5
# What was left for longer than this was taken by another worker, and is forgotten.
FORGOTTEN_SECONDS = 10.0
# More are not left: they wait in our line.
LEFT_MAX = 1000


class LeftToOthers:
    def __init__(self, bus: Bus, clock: Clock, has_slot: Callable[[UserId], bool]) -> None:
        self._bus = bus
        self._clock = clock
        self._has_slot = has_slot
        # Until when each is left, by the monotonic clock; the oldest first.
        self._until: dict[ChatId, float] = {}

    def __len__(self) -> int:
        return len(self._until)

    def __contains__(self, chat_id: ChatId) -> bool:
        return self._until.get(chat_id, 0) > self._clock.monotonic()

    def leave(self, chat: Chat) -> bool:
        """Whether to leave this chat, which has no worker, for now."""
        if self._bus.is_alone or chat.status is not Status.RUNNING or self._has_slot(chat.owner_id):
            return False
        if chat.id not in self._until:
            self._forget_old()
            if len(self._until) >= LEFT_MAX:
                return False
            self._until[chat.id] = self._clock.monotonic() + LEFT_SECONDS
        return chat.id in self

    def forget(self, chat_id: ChatId) -> None:
        self._until.pop(chat_id, None)

    def _forget_old(self) -> None:
        old = self._clock.monotonic() - FORGOTTEN_SECONDS
        self._until = {chat_id: until for chat_id, until in self._until.items() if until > old}
