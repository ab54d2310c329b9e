"""Follows a page as a reader would: every block of code is run, and what it prints is what the page shows.

What pages can say is in docs/develop/write-documentation.md.
"""

import re
import socket
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from enum import Enum, auto
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from tests.cli.program import environment_for
from tests.docs.matching import ANYTHING, matches
from tests.docs.terminal import Terminal, terminal
from tests.support.pages import Block, blocks

MAIN = "main"
KEEPS_RUNNING = "keeps running"
MEANWHILE = "meanwhile"
NOT_RUN = "not run: "
PRESS = "press: "
INTERRUPT, CTRL_C = "^C", "\x03"
USUAL_PORT = "8787"
# Nothing that is waited for takes as long as this.
PATIENCE_SECONDS = 30

_PORT = re.compile(r"127\.0\.0\.1:(\d{4,5})")


class Kind(Enum):
    COMMAND = auto()
    INPUT = auto()
    INTERRUPT = auto()
    # Nothing is typed.
    SIGHT = auto()


COMMAND = "$ "
MORE = "> "
MARKS = {COMMAND: Kind.COMMAND, MORE: Kind.INPUT, INTERRUPT: Kind.INTERRUPT}


class Step(NamedTuple):
    """What is typed, and what is to be seen then."""

    kind: Kind
    typed: str
    expected: list[str]


class Reader:
    """Somebody with a home directory, who has installed chatd. `there` is what is different for them."""

    def __init__(
        self,
        home: Path,
        page: str,
        there: Mapping[str, str] | None = None,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self.home = home
        self._page = page
        self._ports = _free_ports(page)
        self._there = {**(there or {}), **self._ports}
        self._patience_seconds = patience_seconds
        self._terminals: dict[str, Terminal] = {}
        self._busy: set[str] = set()
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        _install(self.home / "bin", "chatd", "-m chatd")
        _install(self.home / "bin", "python", "")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def follow(self) -> None:
        for block in blocks(self._page):
            try:
                await self._do(block._replace(text=self._here(block.text)))
            except AssertionError as wrong:
                raise AssertionError(f"line {block.line} of the page: {wrong}") from None

    async def _do(self, block: Block) -> None:
        if block.note.startswith(NOT_RUN):
            return
        if block.language == "console":
            await self._type(block, block.info[1] if len(block.info) > 1 else MAIN)
            return
        assert len(block.info) > 1, f"nothing is done with a block `{block.language}`"
        path = self.home / block.info[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)

    async def _type(self, block: Block, name: str) -> None:
        shell = await self._terminal(name)
        if block.note.startswith(PRESS):
            shell.type(block.note.removeprefix(PRESS))
        keeps_running = block.note == KEEPS_RUNNING
        steps = _steps(block.text, continued=not keeps_running and name not in self._busy)
        commands = [step for step in steps if step.kind is Kind.COMMAND]
        for step in steps:
            if step.kind is Kind.COMMAND:
                assert await shell.until(shell.is_ready), _told("has to wait for what runs", step, shell)
                self._busy.discard(name)
                if keeps_running and step is commands[-1]:
                    self._busy.add(name)
                await self._in_shell(shell, step, waits=name not in self._busy)
            else:
                await self._in_program(shell, step, meanwhile=block.note == MEANWHILE)
                if shell.is_ready():
                    self._busy.discard(name)

    async def _in_shell(self, shell: Terminal, step: Step, *, waits: bool) -> None:
        shell.enter(step.typed)
        wanted = step.expected if waits else [*step.expected, ANYTHING]
        if waits:
            assert await shell.until(shell.is_ready), _told("does not end", step, shell)
        else:
            await shell.until(lambda: matches(wanted, shell.output()) or shell.is_ready())
        assert matches(wanted, shell.output()), _told("prints something else", step, shell)

    async def _in_program(self, shell: Terminal, step: Step, *, meanwhile: bool) -> None:
        if step.kind is Kind.INTERRUPT:
            shell.type(CTRL_C)
            assert await shell.until(shell.is_ready), _told("does not end", step, shell)
        elif step.kind is Kind.INPUT:
            asks = shell.asks_meanwhile if meanwhile else shell.asks
            assert await shell.until(asks), _told("is not asked for", step, shell)
            shell.type(step.typed + "\r")
        wanted = [ANYTHING, *step.expected, ANYTHING]
        shown = await shell.until(lambda: matches(wanted, shell.output()))
        assert shown, _told("shows something else", step, shell)

    async def _terminal(self, name: str) -> Terminal:
        if name not in self._terminals:
            more = {
                "PATH": f"{self.home / 'bin'}:/usr/local/bin:/usr/bin:/bin:/usr/sbin",
                "TERM": "xterm",
                "TZ": "UTC",
                "LC_ALL": "C.UTF-8",
                "CHATD_PORT": self._ports.get(USUAL_PORT, "0"),
            }
            environment = environment_for(self.home, more)
            opened = terminal(self.home, environment, self._patience_seconds)
            self._terminals[name] = await self._open.enter_async_context(opened)
        return self._terminals[name]

    def _here(self, text: str) -> str:
        """All at once: what takes the place of one may look like another."""
        if not self._there:
            return text
        shown = "|".join(map(re.escape, self._there))
        return re.sub(shown, lambda found: self._there[found[0]], text)


def _steps(text: str, *, continued: bool) -> list[Step]:
    """Where a command is `continued`, lines behind it that begin with `> ` are more of it."""
    steps = [Step(Kind.SIGHT, "", [])]
    for line in text.splitlines():
        kind = next((kind for mark, kind in MARKS.items() if line.startswith(mark)), None)
        newest = steps[-1]
        if kind is Kind.INPUT and continued and newest.kind is Kind.COMMAND and not newest.expected:
            steps[-1] = newest._replace(typed=f"{newest.typed}\n{line.removeprefix(MORE)}")
        elif kind is None:
            newest.expected.append(line)
        else:
            steps.append(Step(kind, line[len(MORE) :] if kind is not Kind.INTERRUPT else line, []))
    return [step for step in steps if step.kind is not Kind.SIGHT or step.expected]


def _told(what: str, step: Step, shell: Terminal) -> str:
    shown = [line for line in shell.output() if line]
    return "\n".join([f"`{step.typed}` {what}. The page shows:", *step.expected, "and it is:", *shown])


def _free_ports(page: str) -> dict[str, str]:
    """Each port of the page once, and free at this moment. All are held until the last is found."""
    ports = dict.fromkeys(_PORT.findall(page))
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in ports]
    found = {shown: str(each.getsockname()[1]) for shown, each in zip(ports, taken, strict=True)}
    for each in taken:
        each.close()
    return found


def _install(folder: Path, name: str, arguments: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
    program.chmod(0o755)
