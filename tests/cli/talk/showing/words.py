"""The language of tests of what a terminal shows: events, and the lines that they come to."""

from collections.abc import Callable
from typing import Any

from chatd.cli.talk.showing.panel import PanelLine
from chatd.cli.talk.showing.view import View
from chatd.client.answers import Awaited, Message, Part
from chatd.client.events import Event, MessageSaved, PartSpoken


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def in_pipe() -> View:
    return View(lambda: 0.0, folded=False)


def on_screen(now: Callable[[], float] = lambda: 0.0) -> View:
    return View(now, folded=True)


def text(words: str) -> Part:
    return Part(type="text", text=words)


def thought(words: str) -> Part:
    return Part(type="reasoning", text=words)


def call(id: str, name: str = "read_file", **args: Any) -> Part:
    return Part(type="tool-call", tool_call_id=id, tool_name=name, args=args)


def result(id: str, value: Any, name: str = "read_file", *, is_error: bool = False) -> Part:
    return Part(type="tool-result", tool_call_id=id, tool_name=name, result=value, is_error=is_error)


def prints(id: str, words: str, name: str = "execute", *, anew: bool = False) -> Event:
    part = Part(type="tool-result", tool_call_id=id, tool_name=name, result_delta=words, result_reset=anew)
    return spoken(part, "tool")


def spoken(part: Part, role: str = "assistant") -> Event:
    return PartSpoken(role=role, part=part)


def saved(*content: Part, role: str = "assistant", id: int = 1) -> Event:
    return MessageSaved(message=Message(id=id, role=role, content=content, created_at=""))


def awaited(kind: str, args: Any = None, id: str = "c", tool: str = "run", **more: Any) -> Awaited:
    return Awaited(tool_call_id=id, message_id=2, tool_name=tool, kind=kind, args=args, **more)


def shown(view: View, *events: Event) -> list[str]:
    """The lines that are printed, each with its tone."""
    screen = ""
    for piece in (piece for event in events for piece in view.pieces_of(event) if piece.text):
        begins_line = not screen or screen.endswith("\n")
        screen += (f"{piece.tone}: " if begins_line and piece.text != "\n" else "") + piece.text.replace(
            "\n", f"\n{piece.tone}: "
        ).removesuffix(f"{piece.tone}: ")
    return screen.removesuffix("\n").split("\n") if screen else []


def lasting(view: View) -> list[str]:
    """What is shown as long as it lasts."""
    return [_line(line) for line in (*view.panel(), *view.choices())]


def _line(line: PanelLine) -> str:
    return line.text + line.behind
