"""Chats whose turn has ended here, and about which something is to be written.

The process that committed the end of a turn writes about it; so with several processes each text is written
once.
What is in the queue is lost with the process: the next turn of such a chat makes up for it.

Users take turns: one whose thousand chats end at once holds up no other, and loses only texts of their own.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import structlog

from chatd.agent.texts.due import Ended, due, is_listed, wants_label
from chatd.catalog.documents import Texts
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, UserId
from chatd.domain.message import Message
from chatd.errors import Unavailable
from chatd.providers.scripted.model import scripts_texts

log = structlog.get_logger()

# Chats, of all users and of one. With more of them, the one that waited longest goes without.
QUEUED_MAX = 1000
QUEUED_PER_USER_MAX = 100
# Model calls for texts at once, of all chats; beside those of the turns, which wait for none of these.
AT_ONCE_MAX = 4
# So that a user whose calls take long leaves a place to the others.
AT_ONCE_PER_USER_MAX = AT_ONCE_MAX - 1

# As much as there could be; the settings are looked at when it is written.
EVERYTHING = Texts(turn_labels=True)


class TextQueue:
    def __init__(self, write: Callable[[Ended], Awaitable[None]]) -> None:
        self._write = write
        # Of each user, and whose turn it is: the one that is first.
        self._waiting: dict[UserId, dict[ChatId, Ended]] = {}
        self._count = 0
        # Of one chat there is one at a time, or both would find that the same title is missing.
        self._writing: set[ChatId] = set()
        self._writing_for: Counter[UserId] = Counter()
        self._changed = asyncio.Event()
        self.dropped = 0

    def note(self, chat: Chat, said: Sequence[Message] | None = None) -> None:
        """A turn of this chat has ended, or waits for a person. Neither waits nor fails.

        What was said is looked at, and not kept: a thousand histories would fill the memory.
        """
        wanted = wants_label(chat) if chat.parent_id is not None else bool(due(chat, EVERYTHING))
        if not wanted or not is_listed(chat):
            return
        self._put(Ended(chat=chat, scripted=said is None or scripts_texts(said)))
        self._changed.set()

    def waiting(self) -> list[ChatId]:
        return [chat_id for chats in self._waiting.values() for chat_id in chats]

    async def run(self) -> None:
        """For as long as the server runs. Cancelled, it drops what it has."""
        async with asyncio.TaskGroup() as group:
            for number in range(AT_ONCE_MAX):
                group.create_task(self._work(), name=f"texts {number}")

    async def _work(self) -> None:
        while True:
            ended = await self._next()
            chat_id, user_id = ended.chat.id, ended.chat.owner_id
            self._writing.add(chat_id)
            self._writing_for[user_id] += 1
            try:
                await self._write(ended)
            except Unavailable:
                pass  # The database has said so in the log.
            except Exception:
                log.exception("text.broke", chat_id=chat_id)
            finally:
                self._writing.discard(chat_id)
                self._writing_for[user_id] -= 1
                # Users who have nothing here are forgotten.
                self._writing_for += Counter()
                if self._waiting:
                    self._changed.set()

    async def _next(self) -> Ended:
        while True:
            for user_id, chats in self._waiting.items():
                chat_id = next((each for each in chats if each not in self._writing), None)
                if chat_id is not None and self._writing_for[user_id] < AT_ONCE_PER_USER_MAX:
                    ended = self._take(user_id, chat_id)
                    self._let_others_go_first(user_id)
                    return ended
            self._changed.clear()
            await self._changed.wait()

    def _put(self, ended: Ended) -> None:
        """At the end of the user's line. The first of a line is dropped where it or the queue is too long."""
        user_id, chat_id = ended.chat.owner_id, ended.chat.id
        if chat_id in self._waiting.get(user_id, ()):
            self._take(user_id, chat_id)
        self._waiting.setdefault(user_id, {})[chat_id] = ended
        self._count += 1
        if len(self._waiting[user_id]) > QUEUED_PER_USER_MAX:
            self._drop(user_id)
        elif self._count > QUEUED_MAX:
            self._drop(max(self._waiting, key=lambda each: len(self._waiting[each])))

    def _take(self, user_id: UserId, chat_id: ChatId) -> Ended:
        chats = self._waiting[user_id]
        ended = chats.pop(chat_id)
        self._count -= 1
        if not chats:
            del self._waiting[user_id]
        return ended

    def _drop(self, user_id: UserId) -> None:
        self._take(user_id, next(iter(self._waiting[user_id])))
        self.dropped += 1
        if self.dropped == 1:
            log.warning("texts.dropped", queued_max=QUEUED_MAX, per_user_max=QUEUED_PER_USER_MAX)

    def _let_others_go_first(self, user_id: UserId) -> None:
        if (chats := self._waiting.pop(user_id, None)) is not None:
            self._waiting[user_id] = chats
