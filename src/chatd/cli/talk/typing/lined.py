"""Lines that a person types at a terminal whose cursor cannot be moved, such as one inside of an editor."""

import asyncio
from collections.abc import Sequence
from typing import Final

from chatd.cli.out import say_on
from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.typing.pipe import Pipe

# Stands before what is typed while the agent is at work. Here it is not shown: words would come behind it.
AT_WORK: Final = "…> "
# The question comes when nothing was shown for so long: what a chat begins with comes in several pieces.
QUIET_SECONDS: Final = 0.1


class Lined(Pipe):
    waits_at_end = False

    def __init__(self, lines: asyncio.StreamReader, pressed: asyncio.Event) -> None:
        super().__init__(lines, pressed)
        self._question = ""
        # The question that stands at the end of the screen.
        self._shown = ""
        self._reads = False
        self._soon: asyncio.TimerHandle | None = None

    async def read(self, question: str) -> str:
        self._reads = True
        self.show(question, ())
        try:
            return await super().read(question)
        finally:
            self._reads = False
            # Nobody has read a question that was not there when the line was ended.
            self.was_begun_before = self._shown != self._question
            if self._shown and not self.took_line:
                # Ctrl-C and Ctrl-D leave the cursor behind the question.
                say_on("\n")
            self._shown = ""

    def show(self, question: str, panel: Sequence[Row]) -> None:  # noqa: ARG002 - nothing can last here
        self._question = question
        if self._soon is not None:
            self._soon.cancel()
        self._soon = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._ask)

    def make_room(self) -> None:
        if self._shown:
            say_on("\n")
        self._shown = ""

    def begin_with(self, text: str) -> None:
        """It cannot be put into the line, but read."""
        self.make_room()
        say_on(f"{text}\n")

    def _ask(self) -> None:
        if not self._reads or self._question in (self._shown, AT_WORK):
            return
        self.make_room()
        self._shown = self._question
        say_on(self._shown)
