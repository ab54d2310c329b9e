"""What this process remembers of chats that it drove a while ago: the next turn reads only what is new."""

from msgspec import Struct

from chatd.agent.hold.memory import Memory
from chatd.domain.ids import ChatId

# In all, of however many chats. The chats that were driven last are remembered.
MESSAGES_MAX = 20_000
# Few messages may be large: one picture is as much as a thousand of them. Reading a chat again costs some
# milliseconds; a server that one user could make twice as large costs everyone.
BYTES_MAX = 4 * 1024 * 1024


class _Kept(Struct, frozen=True):
    memory: Memory
    messages: int
    size: int


class Remembered:
    def __init__(self, messages_max: int = MESSAGES_MAX, bytes_max: int = BYTES_MAX) -> None:
        self._messages_max = messages_max
        self._bytes_max = bytes_max
        self._kept: dict[ChatId, _Kept] = {}
        self._messages = 0
        self._bytes = 0

    def take(self, chat_id: ChatId) -> Memory:
        """The memory of this chat, or an empty one. The runner that takes it gives it back."""
        kept = self._kept.pop(chat_id, None)
        if kept is None:
            return Memory()
        self._messages -= kept.messages
        self._bytes -= kept.size
        return kept.memory

    def give_back(self, chat_id: ChatId, memory: Memory) -> None:
        self.forget(chat_id)
        kept = _Kept(memory, len(memory), memory.size)
        self._kept[chat_id] = kept
        self._messages += kept.messages
        self._bytes += kept.size
        while self._messages > self._messages_max or self._bytes > self._bytes_max:
            self.forget(next(iter(self._kept)))

    def forget(self, chat_id: ChatId) -> None:
        self.take(chat_id)
