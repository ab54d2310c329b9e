"""The reply to one message on the standard output, until the agent rests: for `chatd send`."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import aclosing

from chatd.cli.out import say_aside, say_json
from chatd.cli.talk.drawing.screen import screen
from chatd.cli.talk.painted import Painted
from chatd.cli.talk.showing.news import explained
from chatd.cli.talk.showing.panel import PanelLine
from chatd.cli.talk.showing.pieces import END_OF_TEXT, Piece, Tone
from chatd.cli.talk.showing.reply_text import ReplyText
from chatd.cli.talk.showing.spell import in_words
from chatd.cli.talk.showing.view import BUSY, View
from chatd.client import AsyncClient
from chatd.client.events import AccessEnded, ChatGone, Event, RetryPending, StatusChanged, UnknownEvent
from chatd.errors import Unusable


async def print_reply(client: AsyncClient, chat_id: str, text: ReplyText, *, as_json: bool) -> None:
    """Raises Unusable when the chat is gone before."""
    shown = _Json() if as_json else _Words(text)
    async with asyncio.TaskGroup() as group:
        ticking = group.create_task(shown.tick())
        try:
            await _follow(client, chat_id, shown)
        finally:
            ticking.cancel()
            shown.end()


async def _follow(client: AsyncClient, chat_id: str, shown: "_Json | _Words") -> None:
    async with aclosing(client.stream(chat_id)) as events:
        async for event in events:
            shown.show(event)
            if isinstance(event, StatusChanged) and event.status not in BUSY:
                return
            if isinstance(event, ChatGone | AccessEnded):
                break
    raise Unusable("The chat was deleted, or you may not watch it any more.")


class _Json:
    """Every event, as a line."""

    def show(self, event: Event) -> None:
        say_json(event.data if isinstance(event, UnknownEvent) else event)

    async def tick(self) -> None:
        pass

    def end(self) -> None:
        pass


class _Words:
    """What the agent says. On a terminal also what it does meanwhile, as long as that lasts."""

    def __init__(self, text: ReplyText) -> None:
        self._text = text
        self._screen = screen()
        self._view = View(time.monotonic, folded=True)
        self._lasting = Painted(self._screen, self._lines)
        self.tick = self._lasting.tick

    def show(self, event: Event) -> None:
        self._screen.show_all(Piece(Tone.TEXT, words) for words in self._text.words_of(event))
        if self._lasting.is_seen:
            # What it would print is not asked for here.
            for _ in self._view.pieces_of(event):
                pass
            self._lasting.paint()
        elif isinstance(event, RetryPending):
            say_aside(f"chatd: {explained(event)}")

    def end(self) -> None:
        self._lasting.end()
        self._screen.show_all([*(Piece(Tone.TEXT, words) for words in self._text.end()), END_OF_TEXT])

    def _lines(self) -> Iterator[PanelLine]:
        yield from self._view.panel()
        activity = self._view.activity
        if activity.is_counting:
            took = f" {in_words(activity.seconds)}" if activity.seconds else ""
            yield PanelLine(Tone.TOOL, f"{activity.words()}{took}")
