"""What lasts on a terminal without a field, below what is printed: for `watch` and `send`."""

import asyncio
from collections.abc import Callable, Iterable

from chatd.cli.talk.drawing.panel_rows import panel_rows
from chatd.cli.talk.drawing.screen import PaintedScreen, PlainScreen
from chatd.cli.talk.showing.panel import PanelLine

# How often what counts seconds is drawn.
TICK_SECONDS = 1.0


class Painted:
    """In a pipe nothing of it is shown."""

    def __init__(self, screen: PlainScreen | PaintedScreen, lines: Callable[[], Iterable[PanelLine]]) -> None:
        self._screen = screen if isinstance(screen, PaintedScreen) else None
        self._lines = lines

    @property
    def is_seen(self) -> bool:
        return self._screen is not None

    def paint(self) -> None:
        if self._screen is not None:
            self._screen.paint(list(panel_rows(self._lines(), self._screen.columns)))

    async def tick(self) -> None:
        while self.is_seen:
            await asyncio.sleep(TICK_SECONDS)
            self.paint()

    def end(self) -> None:
        if self._screen is not None:
            self._screen.paint(())
