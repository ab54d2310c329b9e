"""What a call is given, open as long as the call lasts.

A tool that goes on after its call is over, because it ignored that it was stopped, can neither show nor ask
nor rest any more. What it does in the workspace by itself cannot be taken from it.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from msgspec.structs import replace

from chatd.tools.tool import Advice, Consultation, Question, Setting, ToolError

OVER = "This call is over."


@contextmanager
def open_for_call(setting: Setting) -> Iterator[Setting]:
    """The setting, until the end of the block."""
    gate = _Gate(setting)
    try:
        yield replace(
            setting, show=gate.show, resting=gate.resting, ask_model=gate.ask_model, consult=gate.consult
        )
    finally:
        gate.is_open = False


class _Gate:
    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self.is_open = True

    def show(self, text: str) -> None:
        if self.is_open:
            self._setting.show(text)

    @asynccontextmanager
    async def resting(self) -> AsyncIterator[None]:
        self._check()
        async with self._setting.resting():
            yield

    async def ask_model(self, question: Question) -> str:
        self._check()
        return await self._setting.ask_model(question)

    async def consult(self, asked: Consultation) -> Advice:
        self._check()
        return await self._setting.consult(asked)

    def _check(self) -> None:
        if not self.is_open:
            raise ToolError(OVER)
