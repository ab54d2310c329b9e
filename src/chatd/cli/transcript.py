"""A chat as lines in a terminal (pure): events in, complete lines out, and the line that is still spoken."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct

from chatd.client.answers import Awaited, Failure, Message, Part
from chatd.client.events import (
    ChatGone,
    Event,
    Gap,
    MessageSaved,
    PartSpoken,
    PreviewReset,
    QueueUpdated,
    RetryPending,
    StatusChanged,
    TurnFailed,
    WaitingForChanged,
)
from chatd.kit.codec import encode_text
from chatd.kit.text import one_line, shortened, visible

# Of arguments and results only the beginning is shown.
GLIMPSE = 100

CUT_OFF = "The model reached its output limit before it had finished. Say “go on” to hear the rest."

BUSY = frozenset({"running", "interrupting"})


class Tone(StrEnum):
    USER = "user"
    TEXT = "text"
    REASONING = "reasoning"
    TOOL = "tool"
    NOTE = "note"
    ERROR = "error"


class Line(Struct, frozen=True):
    tone: Tone
    text: str


class Transcript:
    """Knows what was shown of the message that is being said, so that nothing is shown twice."""

    def __init__(self) -> None:
        self.status = ""
        self.waiting_for: tuple[Awaited, ...] = ()
        self._queued: set[int] = set()
        self._shown: set[int] = set()
        # What was spoken so far, in one text for each tone; and the line that has no end yet.
        self._spoken: dict[Tone, str] = {}
        self._open = Line(Tone.TEXT, "")

    @property
    def busy(self) -> bool:
        return self.status in BUSY

    @property
    def open_line(self) -> Line | None:
        """What is being said and has no line break yet."""
        return self._open if self._open.text else None

    def lines_of(self, event: Event) -> Iterator[Line]:
        match event:
            case MessageSaved(message=message):
                yield from self._saved(message)
            case PartSpoken(part=part, role=role):
                yield from self._heard(part, role)
            case PreviewReset() | Gap(what="preview"):
                yield from self._closed()
                self._spoken = {}
            case StatusChanged(status=status):
                self.status = status
            case _:
                yield from self._news(event)

    def _news(self, event: Event) -> Iterator[Line]:
        match event:
            case TurnFailed():
                yield Line(Tone.ERROR, f"{explained(event)}  (/retry tries again)")
            case WaitingForChanged(waiting_for=waiting_for):
                self.waiting_for = waiting_for
                yield from (Line(Tone.NOTE, described(each)) for each in waiting_for)
            case RetryPending():
                yield Line(Tone.NOTE, explained(event))
            case QueueUpdated(queued_messages=queued):
                for row in queued:
                    if row.id not in self._queued:
                        yield Line(Tone.NOTE, f"Waits: {glimpse(_words(row.content))}")
                self._queued = {row.id for row in queued}
            case ChatGone():
                yield Line(Tone.ERROR, "The chat was deleted.")
            case _:
                pass  # What it is about, and what a newer server may say.

    def _heard(self, part: Part, role: str) -> Iterator[Line]:
        tone = _TONES.get(part.type)
        words = visible(part.text)
        if role == "tool":
            tone, words = Tone.TOOL, visible(part.result_delta or "")
        if tone is None or not words:
            return
        if tone is not self._open.tone:
            yield from self._closed()
        self._spoken[tone] = self._spoken.get(tone, "") + words
        *complete, rest = (self._open.text + words).split("\n")
        self._open = Line(tone, rest)
        yield from (Line(tone, line) for line in complete)

    def _saved(self, message: Message) -> Iterator[Line]:
        if message.id in self._shown:
            return
        self._shown.add(message.id)
        if message.role == "user":
            yield from (Line(Tone.USER, line) for line in visible(_words(message.content)).split("\n"))
            return
        if message.role != "assistant":
            self._spoken.pop(Tone.TOOL, None)
            yield from self._closed()
            yield from (line for part in message.content for line in _of_tool(part))
            return
        yield from self._rest_of(message)
        yield from (line for part in message.content for line in _of_tool(part))
        if message.cut_off:
            yield Line(Tone.NOTE, CUT_OFF)

    def _rest_of(self, message: Message) -> Iterator[Line]:
        """What of a reply was not shown while it was spoken. One that was shown differently comes again."""
        for tone, kind in ((Tone.REASONING, "reasoning"), (Tone.TEXT, "text")):
            whole = visible("".join(part.text for part in message.content if part.type == kind))
            heard = self._spoken.get(tone, "")
            if not whole:
                continue
            if not heard or not whole.startswith(heard):
                yield from self._closed()
                rest = whole
            elif self._open.tone is tone:
                rest, self._open = self._open.text + whole[len(heard) :], Line(tone, "")
            else:
                rest = whole[len(heard) :]
            if rest:
                yield from (Line(tone, line) for line in rest.removesuffix("\n").split("\n"))
        yield from self._closed()
        self._spoken = {}

    def _closed(self) -> Iterator[Line]:
        if self._open.text:
            yield self._open
        self._open = Line(self._open.tone, "")


_TONES = {"text": Tone.TEXT, "reasoning": Tone.REASONING}


def glimpse(text: str) -> str:
    return shortened(one_line(text), GLIMPSE)


def explained(failure: Failure | TurnFailed | RetryPending) -> str:
    """Why there is no answer, or none yet."""
    if isinstance(failure, RetryPending):
        seconds = f"{failure.delay_ms / 1000:.0f} s"
        return f"Attempt {failure.attempt} failed ({visible(failure.error)}); again in {seconds}."
    detail = f" ({glimpse(failure.detail)})" if failure.detail else ""
    return f"The agent failed: {visible(failure.message)}{detail}"


def described(awaited: Awaited) -> str:
    tool = glimpse(awaited.tool_name)
    match awaited.kind:
        case "approval":
            return f"May the agent run {tool} {glimpse(_json(awaited.args))}?  (y or n, then why)"
        case "answer":
            return f"The agent asks: {glimpse(_json(awaited.args))}"
        case _:
            return f"The agent waits for a client to run {tool}."


def _of_tool(part: Part) -> Iterator[Line]:
    if part.type == "tool-call":
        yield Line(Tone.TOOL, f"· {glimpse(part.tool_name or '')} {glimpse(_json(part.args))}")
    elif part.type == "tool-result":
        mark, tone = ("✗", Tone.ERROR) if part.is_error else ("✓", Tone.TOOL)
        yield Line(tone, f"{mark} {glimpse(part.tool_name or '')} {glimpse(_json(part.result))}")


def _words(content: tuple[Part, ...]) -> str:
    return "\n".join(part.text for part in content if part.type == "text") or "(no text)"


def _json(value: Any) -> str:
    return value if isinstance(value, str) else encode_text(value)
