"""A terminal with a shell in it, for one who follows a page."""

from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from tests.support.pseudo_terminal import PseudoTerminal, Size, in_terminal

# Wide enough for what commands print; with room for all of it, so that nothing scrolls away.
SIZE = Size(columns=132, rows=400)
SHELL = ("bash", "--noprofile", "--norc", "--noediting")
# What the shell prints when it is ready for the next command. No page shows it.
READY = "[ready]"
# Of the prompts of programs.
PROMPT_MAX = 16


class Terminal(PseudoTerminal):
    """With the patience that it is made with, it waits for everything."""

    def __init__(self, process: Process, handle: int, size: Size, *, patience_seconds: float) -> None:
        super().__init__(process, handle, size)
        self._patience_seconds = patience_seconds
        # The row in which the output of the newest command begins.
        self._from = 0

    def enter(self, command: str) -> None:
        """Type a command of one line or several."""
        self._from = self.screen.cursor.y + 1 + command.count("\n")
        self.type(command + "\n")

    async def until(self, happened: Callable[[], bool]) -> bool:
        return await self.wait_until(happened, self._patience_seconds)

    def is_ready(self) -> bool:
        """Whether the shell waits for a command. What was printed before need not end with a line break."""
        lines = self._lines(self.screen.cursor.y + 1)
        return bool(lines) and lines[-1].endswith(READY)

    def asks(self) -> bool:
        """Whether a program waits for a line."""
        return self.rows()[self.screen.cursor.y].startswith(">")

    def asks_meanwhile(self) -> bool:
        """Whether it takes one, and is still at work: then its prompt is a longer one."""
        return ">" in self.rows()[self.screen.cursor.y][:PROMPT_MAX]

    def output(self) -> list[str]:
        """What the newest command has printed so far."""
        lines = self._lines()
        while lines and not lines[-1]:
            lines.pop()
        if lines:
            lines[-1] = lines[-1].removesuffix(READY)
        return lines if lines and lines[-1] else lines[:-1]

    def _lines(self, end: int | None = None) -> list[str]:
        """Down to the row `end`. Lines that the screen broke are whole again."""
        lines: list[str] = []
        goes_on = False
        for at, row in enumerate(self.rows()[self._from : end], self._from):
            if goes_on:
                lines[-1] += row
            else:
                lines.append(row)
            goes_on = at in self.screen.wrapped
        return [line.rstrip() for line in lines]


@asynccontextmanager
async def terminal(
    directory: Path, environment: Mapping[str, str], patience_seconds: float
) -> AsyncIterator[Terminal]:
    """A shell of its own, and all that it has started is gone with the block."""
    make = partial(Terminal, patience_seconds=patience_seconds)
    prompts = {**environment, "PS1": READY, "PS2": ""}
    # So that what is typed is not taken for what is printed.
    async with in_terminal(make, SHELL, directory, prompts, SIZE, echo=False) as shell:
        assert await shell.until(shell.is_ready), "the shell does not start"
        yield shell
