"""Chats whose turn has ended here, and about which something is to be written.

The process that committed the end of a turn writes about it; so with several processes each text is written
once.
What is in the queue is lost with the process: the next turn of such a chat makes up for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from chatd.agent.texts.due import Ended, due, is_listed, wants_label
from chatd.catalog.documents import Texts
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.message import Message
from chatd.errors import Unavailable
from chatd.providers.scripted.model import scripts_texts

log = structlog.get_logger()

# Chats. With more of them, the one that waited longest goes without.
QUEUED_MAX = 1000
# Model calls for texts at once, of all chats; beside those of the turns, which wait for none of these.
AT_ONCE_MAX = 4

# As much as there could be; the settings are looked at when it is written.
EVERYTHING = Texts()


class TextQueue:
    def __init__(self, write: Callable[[Ended], Awaitable[None]]) -> None:
        self._write = write
        self._waiting: dict[ChatId, Ended] = {}
        # Of one chat there is one at a time, or both would find that the same title is missing.
        self._writing: set[ChatId] = set()
        self._changed = asyncio.Event()
        self.dropped = 0

    def note(self, chat: Chat, said: Sequence[Message] | None = None) -> None:
        """A turn of this chat has ended, or waits for a person. Neither waits nor fails.

        What was said is looked at, and not kept: a thousand histories would fill the memory.
        """
        wanted = wants_label(chat) if chat.parent_id is not None else bool(due(chat, EVERYTHING))
        if not wanted or not is_listed(chat):
            return
        self._waiting.pop(chat.id, None)
        self._waiting[chat.id] = Ended(chat=chat, scripted=said is None or scripts_texts(said))
        if len(self._waiting) > QUEUED_MAX:
            del self._waiting[next(iter(self._waiting))]
            self.dropped += 1
            if self.dropped == 1:
                log.warning("texts.dropped", queued_max=QUEUED_MAX)
        self._changed.set()

    async def run(self) -> None:
        """For as long as the server runs. Cancelled, it drops what it has."""
        async with asyncio.TaskGroup() as group:
            for number in range(AT_ONCE_MAX):
                group.create_task(self._work(), name=f"texts {number}")

    async def _work(self) -> None:
        while True:
            ended = await self._next()
            chat_id = ended.chat.id
            self._writing.add(chat_id)
            try:
                await self._write(ended)
            except Unavailable:
                pass  # The database has said so in the log.
            except Exception:
                log.exception("text.broke", chat_id=chat_id)
            finally:
                self._writing.discard(chat_id)
                self._changed.set()

    async def _next(self) -> Ended:
        while True:
            for chat_id in self._waiting:
                if chat_id not in self._writing:
                    return self._waiting.pop(chat_id)
            self._changed.clear()
            await self._changed.wait()
