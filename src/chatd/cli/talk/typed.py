"""What a person types, on its way to the server: a message, an answer to a question, or a wish to try again.

The API has no key by which it would know a request that comes twice. So a message whose answer was lost is
looked for before it is sent again: one of a user, with the same words, newer than all that was known. Two
things can deceive us: the same words sent from elsewhere meanwhile, and a request that arrives only after
we have looked.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import UNSET

from chatd.cli.talk.transcript import words_of
from chatd.client import AsyncClient
from chatd.client.answers import Chat, Sent

# Among so many of the newest messages, and of the newest chats, we look for what we have sent.
MESSAGES_LOOKED_AT = 50
CHATS_LOOKED_AT = 50


class Where(Protocol):
    """The chat that is talked in, as far as sending goes."""

    chat_id: str | None
    # The newest chat that was known before anything was sent.
    newest_chat: str
    model: str | None
    effort: str | None

    @property
    def newest_message(self) -> int: ...

    def begun(self, chat: Chat) -> None: ...

    def sent(self, sent: Sent) -> None: ...


class Message:
    def __init__(self, client: AsyncClient, where: Where, words: str, when: str | None = None) -> None:
        self.words = words
        self._client = client
        self._where = where
        self._when = when
        self._newest_message = 0

    async def send(self) -> None:
        where = self._where
        if where.chat_id is None:
            chat = await self._client.create_chat(
                self.words, model=where.model, reasoning_effort=where.effort
            )
            where.begun(chat)
            return
        self._newest_message = where.newest_message
        # What is said in between goes to the model that is speaking.
        chosen = {} if self._when else {"model": where.model, "reasoning_effort": where.effort}
        where.sent(await self._client.send(where.chat_id, self.words, when=self._when, **chosen))

    async def has_arrived(self) -> bool:
        chat_id = self._where.chat_id
        if chat_id is None:
            return await self._has_begun_a_chat()
        page = await self._client.messages(chat_id, limit=MESSAGES_LOOKED_AT)
        said = [(each.id, each.content) for each in page.messages if each.role == "user"]
        waiting = page.queued_messages if page.queued_messages is not UNSET else ()
        said += [(each.id, each.content) for each in waiting]
        return any(id_ > self._newest_message and words_of(words) == self.words for id_, words in said)

    async def _has_begun_a_chat(self) -> bool:
        # Ids of chats are made in order.
        page = await self._client.chats(limit=CHATS_LOOKED_AT)
        for chat in page.chats:
            if chat.id > self._where.newest_chat:
                first = (await self._client.messages(chat.id, after_id=0, limit=1)).messages
                if first and words_of(first[0].content) == self.words:
                    self._where.begun(chat)
                    return True
        return False


class Deed:
    """What the server refuses when it comes a second time, so it can always be sent again."""

    def __init__(self, words: str, do: Callable[[], Awaitable[object]]) -> None:
        self.words = words
        self._do = do

    async def send(self) -> None:
        await self._do()

    async def has_arrived(self) -> bool:
        return False
