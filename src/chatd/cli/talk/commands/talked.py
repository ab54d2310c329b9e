"""The talk as commands know it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from msgspec import UnsetType

from chatd.cli.talk.showing.pieces import Tone
from chatd.cli.talk.showing.status_line import Facts
from chatd.client import AsyncClient
from chatd.client.answers import Awaited, Chat
from chatd.errors import Unusable


class Talked(Protocol):
    client: AsyncClient
    chat_id: str | None
    model: str | None
    effort: str | None
    workspace: str | UnsetType
    facts: Facts
    files: list[Mapping[str, Any]]
    editing: int | None

    def note(self, words: str, tone: Tone = Tone.NOTE) -> None: ...

    def begin_with(self, text: str) -> None: ...

    def unfold(self) -> None: ...

    def asked(self) -> Awaited | None: ...

    async def answer(self, chat_id: str, awaited: Awaited, line: str) -> None: ...

    async def send(self, words: str, *, when: str | None = None) -> None: ...

    async def do(self, words: str, deed: Callable[[], Awaitable[object]]) -> None: ...

    async def go_to(self, chat: Chat | None) -> None: ...

    async def plan(self, *, is_on: bool) -> None: ...

    async def stop(self, chat_id: str) -> None: ...


def begun(talk: Talked) -> str:
    """The id of the chat. Raises Unusable when there is none yet."""
    if talk.chat_id is None:
        raise Unusable("Nothing was said yet.")
    return talk.chat_id
