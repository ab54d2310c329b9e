"""Who watches a list here, and is concerned by which chats of others (pure).

Chats are granted to users, groups and everyone. So what a thousand members of a group may see is kept once,
by the group, and a change of a chat is matched to all of them with a look at its grants.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from chatd.domain.ids import ChatId, UserId
from chatd.storage.reads.shared_lists import Subject

# Chats of one subject that are known here. Of more, those that were changed last: what hints do not tell of
# the others is not noticed until they change again.
CHATS_MAX = 10_000


class Index:
    def __init__(self, *, chats_max: int = CHATS_MAX) -> None:
        self._chats_max = chats_max
        self._subjects: dict[UserId, frozenset[Subject]] = {}
        self._users: dict[Subject, set[UserId]] = {}
        # In the order in which we heard of them.
        self._chats: dict[Subject, dict[ChatId, None]] = {}
        self._of_chat: dict[ChatId, set[Subject]] = {}
        # As they were when we looked at them last.
        self._snapshots: dict[ChatId, int] = {}

    @property
    def subjects(self) -> AbstractSet[Subject]:
        return self._users.keys()

    def subjects_of(self, user_id: UserId) -> frozenset[Subject]:
        return self._subjects.get(user_id, frozenset())

    def place(self, user_id: UserId, subjects: frozenset[Subject]) -> set[Subject]:
        """By which subjects a user is meant from now on. Those by which nobody was before: what they were
        granted is not known yet.
        """
        self.leave(user_id, but_keep=subjects)
        new = {subject for subject in subjects if subject not in self._users}
        self._subjects[user_id] = subjects
        for subject in subjects:
            self._users.setdefault(subject, set()).add(user_id)
        return new

    def leave(self, user_id: UserId, *, but_keep: frozenset[Subject] = frozenset()) -> None:
        """The user watches no more. What only they were meant by is forgotten, unless it is to be kept."""
        for subject in self._subjects.pop(user_id, frozenset()):
            users = self._users[subject]
            users.discard(user_id)
            if not users and subject not in but_keep:
                del self._users[subject]
                for chat_id in self._chats.pop(subject, {}):
                    self._ungrant(chat_id, subject)

    def knows(self, chat_id: ChatId) -> bool:
        """Whether somebody who watches here is concerned by it, as far as is known."""
        return chat_id in self._of_chat

    def concerned(self, chat_id: ChatId) -> set[UserId]:
        return {user for subject in self._of_chat.get(chat_id, ()) for user in self._users[subject]}

    def learn(self, chat_id: ChatId, granted: Iterable[Subject], snapshot: int) -> set[UserId]:
        """To whom it is granted now. Who was concerned by it, and is no more."""
        watched = {each for each in granted if each in self._users}
        is_same = watched == self._of_chat.get(chat_id)
        # As mostly: then nobody has to be counted.
        before = set() if is_same else self.concerned(chat_id)
        for subject in self._of_chat.get(chat_id, set()) - watched:
            self._chats[subject].pop(chat_id, None)
            self._ungrant(chat_id, subject)
        for subject in watched:
            self._grant(chat_id, subject)
        if watched:
            self._snapshots[chat_id] = snapshot
        return before - self.concerned(chat_id) if before else before

    def forget(self, chat_id: ChatId) -> set[UserId]:
        """It is gone. Who was concerned by it."""
        return self.learn(chat_id, (), 0)

    def compare(self, subject: Subject, versions: Mapping[ChatId, int]) -> set[ChatId]:
        """Which chats to look at: those that the subject has or has no more, and those that have moved."""
        if subject not in self._users:
            return set()
        known = self._chats.get(subject, {})
        gone = [chat_id for chat_id in known if chat_id not in versions]
        moved = [
            chat_id
            for chat_id, snapshot in versions.items()
            if chat_id not in known or self._snapshots.get(chat_id) != snapshot
        ]
        return {*gone, *moved}

    def load(self, subject: Subject, versions: Mapping[ChatId, int]) -> None:
        """What a subject has that is new here. A chat that was looked at already is known better."""
        for chat_id, snapshot in versions.items():
            self._grant(chat_id, subject)
            self._snapshots.setdefault(chat_id, snapshot)

    def _grant(self, chat_id: ChatId, subject: Subject) -> None:
        chats = self._chats.setdefault(subject, {})
        chats.pop(chat_id, None)
        chats[chat_id] = None
        self._of_chat.setdefault(chat_id, set()).add(subject)
        if len(chats) > self._chats_max:
            oldest = next(iter(chats))
            del chats[oldest]
            self._ungrant(oldest, subject)

    def _ungrant(self, chat_id: ChatId, subject: Subject) -> None:
        subjects = self._of_chat[chat_id]
        subjects.discard(subject)
        if not subjects:
            del self._of_chat[chat_id]
            self._snapshots.pop(chat_id, None)
