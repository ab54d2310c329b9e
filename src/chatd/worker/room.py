"""How many chats a worker drives: in all, and for each user.

Most of them wait for a slot. Without a bound for each user, one who starts chats for minutes would fill the
worker, and no chat of another user would even get in line for a slot.
"""

from collections import Counter
from collections.abc import Callable

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import UserId

# Chats that one worker drives. Chats that wait for a client or a person are not among them.
RUNNERS_MAX = 2000
RUNNERS_PER_USER_MAX = 1000


class Room:
    def __init__(self, *, all_max: int = RUNNERS_MAX, per_user_max: int = RUNNERS_PER_USER_MAX) -> None:
        self._all_max = all_max
        self._per_user_max = per_user_max
        self._by_user: Counter[UserId] = Counter()
        self._all = 0

    @property
    def free(self) -> int:
        return max(0, self._all_max - self._all)

    @property
    def full_users(self) -> list[UserId]:
        """Users who have as many as they may. There are few: together they have no more than all."""
        return [user for user, count in self._by_user.items() if count >= self._per_user_max]

    def has_room_for(self, chat: Chat) -> bool:
        """A chat that is to be stopped needs no slot, and makes room."""
        if chat.status is Status.RUNNING and self._by_user[chat.owner_id] >= self._per_user_max:
            return False
        return self.free > 0

    def take(self, user: UserId) -> None:
        self._by_user[user] += 1
        self._all += 1

    def give_back(self, user: UserId) -> bool:
        """Whether others may have waited for it."""
        was_full = not self.free or self._by_user[user] >= self._per_user_max
        self._all -= 1
        self._by_user[user] -= 1
        if not self._by_user[user]:
            del self._by_user[user]
        return was_full


class Rooms:
    """Chats that work for others have a room of their own. A parent that waits for its children keeps its
    place meanwhile; in one room, parents that fill it would wait for children that never get in.
    """

    def __init__(self, make: Callable[[], Room] = Room) -> None:
        self.roots = make()
        self.children = make()

    def of(self, chat: Chat) -> Room:
        return self.roots if chat.parent_id is None else self.children

    @property
    def free(self) -> int:
        """For chats of which it is not known yet whether they work for others."""
        return max(self.roots.free, self.children.free)
