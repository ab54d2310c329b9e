"""A chat as text in a terminal (pure): events in, pieces of text out, each as soon as it is known.

All pieces one after the other are what is shown. A piece goes on where the one before it ended; lines end
where pieces have line breaks, and another tone begins on a line of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from chatd.cli.talk.answers import answering
from chatd.cli.talk.showing.pieces import END_OF_TEXT, Piece, Tone
from chatd.cli.talk.showing.tool_lines import call_line, diff_lines, glimpse, output_lines, result_line
from chatd.client.answers import Awaited, Children, Failure, Message, Part
from chatd.client.events import (
    AccessEnded,
    ChatGone,
    ChildrenChanged,
    Event,
    Gap,
    MessageDeleted,
    MessageSaved,
    OlderMessages,
    PartSpoken,
    PreviewPaused,
    PreviewReset,
    QueueUpdated,
    RetryPending,
    StatusChanged,
    TurnFailed,
    WaitingForChanged,
)
from chatd.kit.codec import as_text
from chatd.kit.text import visible

ADVISOR = "advisor"
# A call that took as long says so, and from when on without tenths.
_LONG_SECONDS, _VERY_LONG_SECONDS = 0.1, 10

TAKEN_BACK = "Another branch of the chat: some of what is above is not in it. It goes on from here."

CUT_OFF = "The model reached its output limit before it had finished. Say “go on” to hear the rest."

PAUSED = "The server that drives this chat is not heard: words may come late, or when they are saved."
GOES_ON = "Words come as they are said again."

BUSY = frozenset({"running", "interrupting"})


_LAST_WORDS: Mapping[type[Event], str] = {
    ChatGone: "The chat was deleted.",
    AccessEnded: "You may not watch this chat any more.",
}


# What is spoken word by word.
_TONES: Final[Mapping[str, Tone]] = {"text": Tone.TEXT, "reasoning": Tone.REASONING}


class Transcript:
    """Knows what was shown of the message that is being said, so that nothing is shown twice."""

    def __init__(self) -> None:
        self.status = ""
        self.waiting_for: tuple[Awaited, ...] = ()
        # The newest number of a message, or of one that waits: they are counted together.
        self.newest = 0
        # What those that work for this chat wait for: their chat, message and call.
        self._needs: set[tuple[str, int | None, str]] = set()
        self._queued: set[int] = set()
        self._shown: set[int] = set()
        # Of the message that is being said: the words in each tone, the calls and the results.
        self._heard: dict[Tone, list[str]] = {}
        self._calls: set[str] = set()
        self._results: set[str] = set()
        self._files: set[str] = set()
        # The calls whose results were shown as they came.
        self._streamed: set[str] = set()
        self._sources: set[str] = set()
        # What calls without a result do, and which of them was shown last.
        self._lines: dict[str, str] = {}
        self._last_call = ""
        self._told_of_branch = False
        self._paused = False
        # What the line that has no end yet belongs to: a tone, and the call whose output it is.
        self._line: tuple[Tone, str] | None = None
        # The same of a line that a note has interrupted.
        self._interrupted: tuple[Tone, str] | None = None

    @property
    def busy(self) -> bool:
        return self.status in BUSY

    def pieces_of(self, event: Event) -> Iterator[Piece]:
        match event:
            case MessageSaved(message=message):
                yield from self._saved(message)
            case PartSpoken(part=part):
                yield from self._spoken(part)
            case MessageDeleted(message_id=message_id):
                yield from self._taken_back(message_id)
            case PreviewReset() | Gap(what="preview"):
                yield from self.end_line()
                if Tone.TEXT in self._heard:
                    yield END_OF_TEXT
                self._forget_preview()
            case StatusChanged(status=status):
                self.status = status
            case PreviewPaused(paused=paused) if paused != self._paused:
                self._paused = paused
                yield from self.note(PAUSED if paused else GOES_ON)
            case ChildrenChanged(children=children):
                yield from self._of_children(children)
            case _:
                yield from self._news(event)

    def note(self, words: str, tone: Tone = Tone.NOTE) -> Iterator[Piece]:
        """Something beside the chat, on a line of its own."""
        self._interrupted = self._line or self._interrupted
        yield from self.end_line()
        yield Piece(tone, f"{words}\n")

    def end_line(self) -> Iterator[Piece]:
        if self._line is not None:
            yield Piece(self._line[0], "\n")
        self._line = None

    def _forget_preview(self) -> None:
        self._heard, self._interrupted = {}, None
        self._calls.clear()
        self._results.clear()
        self._streamed.clear()
        self._sources.clear()

    def _news(self, event: Event) -> Iterator[Piece]:
        match event:
            case OlderMessages():
                yield from self.note("Only the end of this chat is shown. `chatd export` prints all of it.")
            case TurnFailed():
                yield from self.note(f"{explained(event)}  (/retry tries again)", Tone.ERROR)
            case WaitingForChanged(waiting_for=waiting_for):
                self.waiting_for = waiting_for
                for each in waiting_for:
                    yield from self.note(described(each))
            case RetryPending():
                yield from self.note(explained(event))
            case QueueUpdated(queued_messages=queued):
                for row in queued:
                    if row.id not in self._queued:
                        yield from self.note(f"Waits: {glimpse(words_of(row.content))}")
                self._queued = {row.id for row in queued}
                self.newest = max(self.newest, *self._queued, 0)
            case ChatGone() | AccessEnded():
                yield from self.note(_LAST_WORDS[type(event)], Tone.ERROR)
            case _:
                pass  # What it is about, and what a newer server may say.

    def _of_children(self, children: Children) -> Iterator[Piece]:
        """What those that work for this chat need of a person, each once."""
        needs = {
            (child.chat_id, each.message_id, each.tool_call_id): (child, each)
            for child in children.waiting
            for each in child.waiting_for
        }
        for child, each in (need for key, need in needs.items() if key not in self._needs):
            wanted = f"{each.kind} for {glimpse(each.tool_name)} {glimpse(as_text(each.args))}"
            yield from self.note(
                f"{glimpse(child.title)!r}, which works for this chat, waits for your {wanted}\n"
                f"`chatd chat {glimpse(child.chat_id)}` answers."
            )
        self._needs = set(needs)

    def _spoken(self, part: Part) -> Iterator[Piece]:
        if (tone := _TONES.get(part.type)) is not None:
            words = visible(part.text)
            self._heard.setdefault(tone, []).append(words)
            yield from self._go_on(tone, words)
        elif part.result_delta is not None:
            if part.result_reset:
                yield from self.end_line()
            self._streamed.add(part.tool_call_id or "")
            yield from self._go_on(Tone.TOOL, visible(part.result_delta), part.tool_call_id or "")
        elif part.args_delta is None:
            yield from self._tool(part)

    def _go_on(self, tone: Tone, words: str, call_id: str = "") -> Iterator[Piece]:
        if not words:
            return
        if self._line != (tone, call_id):
            yield from self.end_line()
            # The line break stands for the blank.
            words = words.removeprefix(" ") if self._interrupted == (tone, call_id) else words
        self._interrupted = None
        if not words:
            return
        self._line = None if words.endswith("\n") else (tone, call_id)
        yield Piece(tone, words)

    def _saved(self, message: Message) -> Iterator[Piece]:
        if message.id in self._shown:
            return
        self._shown.add(message.id)
        self._told_of_branch = False
        self.newest = max(self.newest, message.id)
        if message.role == "user":
            words = visible(words_of(message.content)).replace("\n", "\n> ")
            yield from self.note(f"> {words}", Tone.USER)
        elif message.role == "assistant":
            yield from self._rest_of(message)
            if message.cut_off:
                yield from self.note(CUT_OFF)
        elif message.role == "system":
            yield from self.note(visible(words_of(message.content)))
        else:
            for part in message.content:
                yield from self._tool(part)

    def _rest_of(self, message: Message) -> Iterator[Piece]:
        """What of a reply was not shown while it was spoken, in the order of its parts."""
        known: dict[Tone, int] = {}
        for kind, tone in _TONES.items():
            whole = visible("".join(part.text for part in message.content if part.type == kind))
            heard = "".join(self._heard.get(tone, ()))
            known[tone] = len(heard) if whole.startswith(heard) else 0
            if heard and not known[tone]:
                # It was shown differently, so it comes again.
                yield from self.end_line()
        for part in message.content:
            if (spoken := _TONES.get(part.type)) is not None:
                words = visible(part.text)
                skipped = min(len(words), known[spoken])
                known[spoken] -= skipped
                yield from self._go_on(spoken, words[skipped:])
            else:
                yield from self._tool(part)
        yield from self.end_line()
        yield END_OF_TEXT
        self._heard, self._interrupted = {}, None
        self._sources.clear()

    def _advice(self, part: Part) -> str | None:
        """What an advisor has said, in its words, unless they were shown as they came. None: no advice."""
        result = part.result
        if part.tool_name != ADVISOR or not isinstance(result, dict):
            return None
        if part.tool_call_id in self._streamed:
            return f"by {glimpse(str(result.get('advisor_model', 'the advisor')))}"
        words = result.get("advice") or result.get("error")
        return visible(words) if isinstance(words, str) else None

    def _taken_back(self, message_id: int) -> Iterator[Piece]:
        """An edit, or another branch. What is on the screen stays there; what counts follows."""
        if message_id in self._shown:
            self._shown.discard(message_id)
            if not self._told_of_branch:
                yield from self.note(TAKEN_BACK)
            self._told_of_branch = True

    def _result(self, part: Part, call_id: str) -> Iterator[Piece]:
        """Right below its call, it need not say whose it is."""
        mark, tone = ("✗", Tone.ERROR) if part.is_error else ("✓", Tone.TOOL)
        line = self._lines.pop(call_id, "")
        whose = f"{glimpse(line or part.tool_name or '')}: " if call_id != self._last_call else ""
        words = self._advice(part) or result_line(part)
        if call_id not in self._streamed:
            for output in output_lines(part):
                yield from self.note(f"  {visible(output)}", Tone.TOOL)
        yield from self.note(f"  {mark} {whose}{words}{_took(part)}", tone)
        for change in diff_lines(part):
            yield from self.note(visible(change), Tone.DIFF)

    def _tool(self, part: Part) -> Iterator[Piece]:
        """A whole call, result, file or source, once: live if it came live, else when it is saved."""
        call_id = part.tool_call_id or ""
        if part.type == "tool-call" and call_id not in self._calls:
            self._calls.add(call_id)
            self._lines[call_id] = call_line(part)
            self._last_call = call_id
            yield from self.note(f"⏺ {self._lines[call_id]}", Tone.CALL)
        elif part.type == "tool-result" and call_id not in self._results:
            self._results.add(call_id)
            yield from self._result(part, call_id)
        elif part.type == "file" and part.file_id is not None and part.file_id not in self._files:
            self._files.add(part.file_id)
            shown = glimpse(part.name or part.file_id)
            yield from self.note(f"+ {shown} ({glimpse(part.media_type or '')})", Tone.TOOL)
        elif part.type == "source" and part.url is not None and part.url not in self._sources:
            self._sources.add(part.url)
            title = f"{glimpse(part.title)} " if part.title else ""
            yield from self.note(f"→ {title}{glimpse(part.url)}", Tone.TOOL)


def _took(part: Part) -> str:
    seconds = (part.duration_ms or 0) / 1000
    if seconds < _LONG_SECONDS:
        return ""
    return f" ({seconds:.1f} s)" if seconds < _VERY_LONG_SECONDS else f" ({seconds:,.0f} s)"


def explained(failure: Failure | TurnFailed | RetryPending) -> str:
    """Why there is no answer, or none yet."""
    if isinstance(failure, RetryPending):
        seconds = f"{failure.delay_ms / 1000:.0f} s"
        return f"Attempt {failure.attempt} failed ({visible(failure.error)}); again in {seconds}."
    detail = f" ({glimpse(failure.detail)})" if failure.detail else ""
    return f"The agent failed: {visible(failure.message)}{detail}"


def described(awaited: Awaited) -> str:
    if (shown := answering.described(awaited)) is not None:
        return shown
    if awaited.kind == "answer":
        return f"The agent asks: {glimpse(as_text(awaited.args))}"
    return f"The agent waits for a client to run {glimpse(awaited.tool_name)}."


def words_of(content: tuple[Part, ...]) -> str:
    return "\n".join(part.text for part in content if part.type == "text") or "(no text)"
