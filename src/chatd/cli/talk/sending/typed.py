"""What a person types, on its way to the server: a message, an answer to a question, or a wish to try again.

A message has a key of its own. So one whose answer was lost is sent again as it was, and the server answers
with what the first one did.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import UNSET, UnsetType

from chatd.client import AsyncClient
from chatd.client.answers import Chat, Sent
from chatd.kit.ids import new_id


class Where(Protocol):
    """The chat that is talked in, as far as sending goes."""

    chat_id: str | None
    model: str | None
    effort: str | None
    # Of a new chat.
    workspace: str | UnsetType
    mode: str | UnsetType

    def begun(self, chat: Chat) -> None: ...

    def sent(self, sent: Sent) -> None: ...


class Message:
    def __init__(
        self,
        client: AsyncClient,
        where: Where,
        words: str,
        *,
        when: str | None = None,
        files: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.words = words
        self._content = [{"type": "text", "text": words}, *files] if files else words
        self._client = client
        self._where = where
        self._when = when
        self._key = new_id()
        # What else is said with it, from the first try on: with its key no other request is accepted.
        self._chosen: tuple[str | None, str | None] | None = None
        self._mode: str | UnsetType = UNSET

    async def send(self) -> None:
        where = self._where
        if self._chosen is None:
            # What is said in between goes to the model that is speaking.
            is_between = self._when is not None and where.chat_id is not None
            self._chosen = (None, None) if is_between else (where.model, where.effort)
            self._mode = where.mode
        model, effort = self._chosen
        if where.chat_id is None:
            chat = await self._client.create_chat(
                self._content,
                model=model,
                reasoning_effort=effort,
                key=self._key,
                workspace=where.workspace,
                mode=self._mode,
            )
            where.begun(chat)
            return
        sent = await self._client.send(
            where.chat_id,
            self._content,
            when=self._when,
            model=model,
            reasoning_effort=effort,
            key=self._key,
        )
        where.sent(sent)


class Deed:
    """What the server refuses when it comes a second time, so it can always be sent again."""

    def __init__(self, words: str, do: Callable[[], Awaitable[object]]) -> None:
        self.words = words
        self._do = do

    async def send(self) -> None:
        await self._do()
