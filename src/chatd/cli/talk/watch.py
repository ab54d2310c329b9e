"""chatd watch: what happens in a chat, as it happens."""

import asyncio
import sys
import time
from collections.abc import Coroutine, Iterator
from contextlib import aclosing
from typing import Any

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say_json
from chatd.cli.remote import client_from
from chatd.cli.talk.drawing.screen import screen
from chatd.cli.talk.following.agents import AgentsFollower
from chatd.cli.talk.painted import Painted
from chatd.cli.talk.showing.panel import PanelLine
from chatd.cli.talk.showing.pieces import Tone
from chatd.cli.talk.showing.spell import in_words
from chatd.cli.talk.showing.view import View
from chatd.client import AsyncClient
from chatd.client.events import ChildrenChanged, Event, UnknownEvent


def run(*, chat_id: str, as_json: bool, **flags: object) -> None:
    try:
        run_loop(_watch(client_from(flags), chat_id, as_json=as_json))
    except KeyboardInterrupt:
        return  # That is how one stops watching.


async def _watch(client: AsyncClient, chat_id: str, *, as_json: bool) -> None:
    async with client:
        # A server that cannot be reached is an error now; one that goes away later is waited for.
        chat_id = await find_chat(client, chat_id)
        await client.chat(chat_id)
        if as_json:
            await _print_events(client, chat_id)
            return
        watched = Watched(client)
        try:
            async with asyncio.TaskGroup() as group:
                beside = [group.create_task(each) for each in watched.beside(chat_id)]
                async with aclosing(client.stream(chat_id)) as events:
                    async for event in events:
                        watched.see(event)
                for task in beside:
                    task.cancel()
        finally:
            watched.end()


async def _print_events(client: AsyncClient, chat_id: str) -> None:
    async with aclosing(client.stream(chat_id)) as events:
        async for event in events:
            say_json(event.data if isinstance(event, UnknownEvent) else event)
            sys.stdout.flush()


class Watched:
    """One chat on the standard output. On a terminal, what lasts is painted below it."""

    def __init__(self, client: AsyncClient) -> None:
        self._screen = screen()
        self.view = View(time.monotonic, folded=self._screen.is_folded)
        self._lasting = Painted(self._screen, self._lines)
        self._agents = AgentsFollower(client, self.view.agents, self._lasting.paint)

    def beside(self, chat_id: str) -> tuple[Coroutine[Any, Any, None], ...]:
        """What goes on beside the stream, on a terminal."""
        return (self._agents.run(chat_id), self._lasting.tick()) if self._lasting.is_seen else ()

    def see(self, event: Event) -> None:
        if isinstance(event, ChildrenChanged):
            self._agents.see(event.children)
        self._screen.show_all(self.view.pieces_of(event))
        self._lasting.paint()

    def end(self) -> None:
        """What comes after us, such as the prompt of a shell, begins on a line of its own."""
        self._screen.show_all(self.view.lines.end())
        self._lasting.end()

    def _lines(self) -> Iterator[PanelLine]:
        yield from self.view.panel()
        if (asked := self.view.asked) is not None:
            yield PanelLine(Tone.ASKED, f"`chatd chat {asked.chat_id}` answers.")
        activity = self.view.activity
        if doing := activity.words():
            took = f" {in_words(activity.seconds)}" if activity.seconds else ""
            yield PanelLine(Tone.TOOL, f"{doing}{took} · Ctrl-C stops watching")
