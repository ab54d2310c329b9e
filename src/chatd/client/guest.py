"""Reading the chat of a public link, as somebody who has its code and no user."""

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, ClassVar
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from chatd.client.follow import ATTEMPTS_MAX, Connection, follow
from chatd.client.pages import CursorPage, Pages
from chatd.client.server import ServerClient
from chatd.kit.clock import Clock
from chatd.kit.codec import Decoder

PUBLIC = "/api/v1/public"

_event: Decoder[dict[str, Any]] = Decoder(dict[str, Any])


class GuestChat(Struct, frozen=True, kw_only=True):
    title: str = ""
    # What its owner wants to be called, if they have said so.
    owner_name: str = ""
    # Whether there is more to come, and what is shown beside words.
    live: bool = False
    include: tuple[str, ...] = ()
    expires_at: str = ""


class GuestMessage(Struct, frozen=True, kw_only=True):
    """Its id is a word: messages come in their order."""

    id: str
    role: str
    content: tuple[dict[str, Any], ...] = ()
    created_at: str = ""


class GuestPage(CursorPage[GuestMessage], frozen=True, kw_only=True):
    """Newest first. `next` is the `before` of the page that follows; None: this was the last."""

    goes_to: ClassVar[str] = "before"

    messages: tuple[GuestMessage, ...]

    @property
    def items(self) -> tuple[GuestMessage, ...]:
        return self.messages


class AsyncGuest(ServerClient):
    """Use it as a context manager. Every method raises ApiError when the server refuses, which is a 404 once
    the link has ended; and Unreachable when it cannot be asked.
    """

    def __init__(
        self,
        base_url: str,
        code: str,
        *,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        attempts_max: int = ATTEMPTS_MAX,
    ) -> None:
        headers = {"Authorization": f"Guest {code}"}
        super().__init__(base_url, headers, clock=clock, chance=chance, attempts_max=attempts_max)

    async def chat(self) -> GuestChat:
        return await self._http.ask("GET", f"{PUBLIC}/chat", GuestChat)

    def messages(self, *, before: str | None = None, limit: int = 50) -> Pages[GuestPage, GuestMessage]:
        """Newest first."""
        return self._pages(f"{PUBLIC}/messages", GuestPage, {"before": before, "limit": limit})

    async def file(self, file_id: str) -> bytes:
        """By the `file_id` of a part."""
        return await self._http.ask_bytes("GET", f"{PUBLIC}/files/{quote(file_id, safe='')}")

    async def stream(self) -> AsyncGenerator[dict[str, Any], None]:
        """What docs/reference/streams.md says of guests. Ends with `access_ended`.

        Comes back by itself when the connection breaks. Then everything is told anew, after a `gap`: forget
        what you had.
        """
        came_back: list[Connection] = []
        reconnect = replace(self._reconnect, tell=came_back.append)
        followed = follow(self._http, f"{PUBLIC}/stream", None, _event.decode, reconnect)
        async with aclosing(followed) as events:
            async for event in events:
                if came_back:
                    came_back.clear()
                    yield {"type": "gap", "what": "history"}
                yield event
                if event.get("type") == "access_ended":
                    return
