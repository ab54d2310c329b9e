"""The stream of the chat that is talked in: from its last event on, through lost connections."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from chatd.client import AsyncClient, Unreachable
from chatd.client.events import Event
from chatd.client.follow import Connection

# How often in a row the stream is begun anew for a patient reader: each time takes about two minutes.
FOLLOWED_MAX = 30


class Follower:
    """`see` is given every event, each once. `connected` is told when the server goes and comes back."""

    def __init__(
        self,
        client: AsyncClient,
        group: asyncio.TaskGroup,
        *,
        see: Callable[[Event], None],
        connected: Callable[[Connection], None],
        # Told when it takes long; whoever is not patient gives up then.
        failed: Callable[[Unreachable], None],
        is_patient: bool,
    ) -> None:
        self._client = client
        self._group = group
        self._see = see
        self._tell = connected
        self._is_lost = False
        self._failed = failed
        self._tries_max = FOLLOWED_MAX if is_patient else 1
        self._chat_id: str | None = None
        self._cursor: str | None = None
        self._task: asyncio.Task[None] | None = None

    def follow(self, chat_id: str) -> None:
        """From the beginning, instead of the chat that was followed before."""
        self.stop()
        self._chat_id = chat_id
        self.connect()

    def connect(self) -> None:
        """At once and from the last event on, instead of after a pause: the server was found to be back."""
        if self._chat_id is not None:
            self._cancel()
            self._is_lost = False
            self._task = self._group.create_task(self._follow(self._chat_id))

    def stop(self) -> None:
        self._cancel()
        self._chat_id = self._cursor = None

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _follow(self, chat_id: str) -> None:
        """Raises Unreachable when the server stays away."""
        for tried in range(1, self._tries_max + 1):
            try:
                if tried > 1:
                    # A stream that is begun anew does not know that the one before was lost.
                    await self._client.chat(chat_id)
                    self._connected("back")
                stream = self._client.stream(chat_id, self._cursor, connection=self._connected)
                async with aclosing(stream) as events:
                    async for event in events:
                        self._cursor = event.cursor or self._cursor
                        self._see(event)
                return
            except Unreachable as error:
                if tried == self._tries_max:
                    raise
                self._failed(error)

    def _connected(self, connection: Connection) -> None:
        is_lost = connection == "lost"
        if is_lost != self._is_lost:
            self._is_lost = is_lost
            self._tell(connection)
