"""What this process remembers of chats that it drove a while ago: the next turn reads only what is new."""

from chatd.agent.memory import Memory
from chatd.domain.ids import ChatId

# In all, of however many chats. The chats that were driven last are remembered.
MESSAGES_MAX = 20_000


class Remembered:
    def __init__(self, messages_max: int = MESSAGES_MAX) -> None:
        self._messages_max = messages_max
        self._memories: dict[ChatId, Memory] = {}
        self._messages = 0

    def take(self, chat_id: ChatId) -> Memory:
        """The memory of this chat, or an empty one. Whoever takes it gives it back."""
        memory = self._memories.pop(chat_id, None)
        if memory is None:
            return Memory()
        self._messages -= len(memory)
        return memory

    def give_back(self, chat_id: ChatId, memory: Memory) -> None:
        self._memories[chat_id] = memory
        self._messages += len(memory)
        while self._messages > self._messages_max:
            self._messages -= len(self._memories.pop(next(iter(self._memories))))

    def forget(self, chat_id: ChatId) -> None:
        self.take(chat_id)
