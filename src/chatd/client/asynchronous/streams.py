"""What happens, as it happens."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from msgspec.structs import replace

from chatd.client.asynchronous.calls import CHATS, Calls, chat_path
from chatd.client.events import AccessEnded, ChatGone, Event, WatchEvent, event_of, watch_event_of
from chatd.client.follow import Connection, follow


class StreamCalls(Calls):
    async def stream(
        self,
        chat_id: str,
        cursor: str | None = None,
        *,
        connection: Callable[[Connection], None] | None = None,
    ) -> AsyncGenerator[Event, None]:
        """What happens in a chat, from the cursor on, or from its last messages on. Ends when it is deleted.

        An `OlderMessages` says where `messages(chat_id, before_id=...)` goes on.

        Comes back by itself when the connection breaks; `connection` is told when it is lost and when it is
        back. Leave it with `contextlib.aclosing`.
        """
        path = f"{chat_path(chat_id)}/stream"
        reconnect = self._reconnect if connection is None else replace(self._reconnect, tell=connection)
        followed = follow(self._http, path, cursor, event_of, reconnect)
        async with aclosing(followed) as events:
            async for event in events:
                yield event
                if isinstance(event, ChatGone | AccessEnded):
                    return

    async def watch(self, cursor: str | None = None) -> AsyncGenerator[WatchEvent, None]:
        """What happens to the caller's chats; the same way. After each `gap`, list them anew."""
        path = f"{CHATS}/watch"
        async with aclosing(follow(self._http, path, cursor, watch_event_of, self._reconnect)) as events:
            async for event in events:
                yield event
