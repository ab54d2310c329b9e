"""Following the chats that work for the one that is talked in: what each of them is doing, as it happens."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress

from chatd.cli.talk.showing.agents import Agents
from chatd.client import ApiError, AsyncClient, Unreachable
from chatd.client.answers import Chat, Children
from chatd.client.events import StatusChanged

# Of more than these, only the status is known.
FOLLOWED_MAX = 8


class AgentsFollower:
    """Asks the server who they are when it says that they have changed, and streams those at work."""

    def __init__(self, client: AsyncClient, agents: Agents, changed: Callable[[], None]) -> None:
        self._client = client
        self._agents = agents
        self._changed = changed
        self._news = asyncio.Event()
        self._children = Children()
        self._followed: set[str] = set()

    def see(self, children: Children) -> None:
        self._children = children
        self._news.set()

    async def run(self, chat_id: str) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                await self._news.wait()
                self._news.clear()
                for chat in await self._list(chat_id):
                    if chat.status == "running" and self._may_follow(chat.id):
                        self._followed.add(chat.id)
                        group.create_task(self._follow(chat.id))

    def _may_follow(self, chat_id: str) -> bool:
        return chat_id not in self._followed and len(self._followed) < FOLLOWED_MAX

    async def _list(self, chat_id: str) -> tuple[Chat, ...]:
        try:
            listed = await self._client.children(chat_id)
        except (ApiError, Unreachable):
            return ()  # The next news comes with the connection.
        self._agents.list(listed.chats)
        self._agents.note_waiting(self._children)
        self._changed()
        return listed.chats

    async def _follow(self, chat_id: str) -> None:
        """Until it rests."""
        try:
            with suppress(ApiError, Unreachable):
                async with aclosing(self._client.stream(chat_id)) as events:
                    async for event in events:
                        self._agents.see(chat_id, event)
                        self._changed()
                        if isinstance(event, StatusChanged) and event.status != "running":
                            return
        finally:
            self._followed.discard(chat_id)
            self._news.set()
