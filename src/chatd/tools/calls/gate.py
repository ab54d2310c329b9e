"""What a call is given, open as long as the call lasts.

A tool that goes on after its call is over, because it ignored that it was stopped, can neither show nor ask
nor rest any more, and finds the workspace closed. Only what it had begun there by then comes to its end.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import cast

from msgspec.structs import replace

from chatd.domain.approvals.rule import Touches
from chatd.tools.tool import Advice, Consultation, Question, Setting, ToolError
from chatd.workspaces.workspace import Workspace

OVER = "This call is over."


@contextmanager
def open_for_call(setting: Setting) -> Iterator[Setting]:
    """The setting, until the end of the block."""
    gate = _Gate(setting)
    try:
        yield replace(
            setting,
            show=gate.show,
            resting=gate.resting,
            ask_model=gate.ask_model,
            consult=gate.consult,
            forbidden=gate.forbidden,
            workspace=gate.workspace,
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
        self.check()
        async with self._setting.resting():
            yield

    async def ask_model(self, question: Question) -> str:
        self.check()
        return await self._setting.ask_model(question)

    async def consult(self, asked: Consultation) -> Advice:
        self.check()
        return await self._setting.consult(asked)

    async def forbidden(self, touches: Touches) -> frozenset[str]:
        self.check()
        return await self._setting.forbidden(touches)

    @property
    def workspace(self) -> Workspace | None:
        found = self._setting.workspace
        return cast("Workspace", _Guarded(found, self, _PARTS)) if found is not None else None

    def check(self) -> None:
        if not self.is_open:
            raise ToolError(OVER)


# Of a workspace: these are asked for, and used later.
_PARTS = frozenset({"files", "processes"})


class _Guarded:
    """Something that is used through its attributes, until the gate is closed."""

    def __init__(self, inner: object, gate: _Gate, parts: frozenset[str] = frozenset()) -> None:
        self._inner = inner
        self._gate = gate
        self._parts = parts

    def __getattr__(self, name: str) -> object:
        self._gate.check()
        found = getattr(self._inner, name)
        if name in self._parts:
            return _Guarded(found, self._gate)
        return self._checked(found) if callable(found) else found

    def _checked(self, method: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            self._gate.check()
            return method(*args, **named)

        return call
