"""The talk as commands know it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from msgspec import UnsetType

from chatd.cli.talk.display import Display
from chatd.cli.talk.sending.outbox import Outbox
from chatd.cli.talk.showing.pieces import Tone
from chatd.cli.talk.showing.questions import Asked
from chatd.cli.talk.showing.status_line import Facts
from chatd.cli.talk.showing.view import View
from chatd.client import AsyncClient
from chatd.client.answers import Chat
from chatd.errors import Unusable


class Talked(Protocol):
    client: AsyncClient
    chat_id: str | None
    # The chat that this one works for.
    parent_id: str | None
    model: str | None
    effort: str | None
    workspace: str | UnsetType
    display: Display
    outbox: Outbox
    files: list[Mapping[str, Any]]
    leaves: bool

    @property
    def view(self) -> View: ...

    @property
    def editing(self) -> int | None: ...

    @editing.setter
    def editing(self, message_id: int | None) -> None: ...

    @property
    def facts(self) -> Facts: ...

    @property
    def asked(self) -> Asked | None: ...

    def question(self) -> str: ...

    def note(self, words: str, tone: Tone = Tone.NOTE) -> None: ...

    def begin_with(self, text: str) -> None: ...

    async def answer(self, asked: Asked, line: str) -> None: ...

    async def send(self, words: str, *, when: str | None = None) -> None: ...

    async def do(self, words: str, deed: Callable[[], Awaitable[object]]) -> None: ...

    async def go_to(self, chat: Chat | None) -> None: ...

    async def plan(self, *, is_on: bool) -> None: ...

    async def stop(self, chat_id: str) -> None: ...

    def give_up(self) -> bool: ...

    async def until_rest(self) -> None: ...


def begun(talk: Talked) -> str:
    """The id of the chat. Raises Unusable when there is none yet."""
    if talk.chat_id is None:
        raise Unusable("Nothing was said yet.")
    return talk.chat_id
