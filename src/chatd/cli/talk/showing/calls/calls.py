"""Calls in a terminal (pure): each once, with what it prints and what has come of it.

In a pipe a call, its output and its result are lines as they come. On a screen a call is *folded*: as long
as it runs it is among what still changes, with its seconds and the end of its output, and when it is done it
is printed as one block. So calls that run at the same time do not mix, and stand in the order in which they
ended.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec import Struct

from chatd.cli.talk.showing.calls.output import CallOutput
from chatd.cli.talk.showing.calls.results import diff_lines, diff_of, mark_of, output_of, result_lines, took
from chatd.cli.talk.showing.calls.words import ADVISOR, WAIT_AGENT, call_line, glimpse
from chatd.cli.talk.showing.lines import Lines
from chatd.cli.talk.showing.pieces import END_OF_TEXT, Piece, Tone
from chatd.client.answers import Part
from chatd.kit.text import visible

# Of what a call has printed, its end.
OUTPUT_LINES_MAX = 8
ADVICE_LINES_MAX = 60


class OpenCall(Struct, kw_only=True):
    """A call without a result."""

    line: str
    # By the clock that only goes forward; None: it has not begun to run.
    since: float | None = None
    output: CallOutput
    # Whether its message is saved: what is only previewed may be said anew.
    saved: bool = False
    is_quiet: bool = False


class Calls:
    def __init__(self, lines: Lines, now: Callable[[], float], *, folded: bool) -> None:
        self._lines = lines
        self._now = now
        self._folded = folded
        self._open: dict[str, OpenCall] = {}
        # Of the message that is being said, what was shown.
        self._begun: set[str] = set()
        self._ended: set[str] = set()
        self._streamed: set[str] = set()
        self._files: set[str] = set()
        self._sources: set[str] = set()
        self._last_begun = ""
        # What a person was shown before they allowed the call.
        self._previews: dict[str, str] = {}
        self.last_output: Sequence[str] = ()

    def at_work(self, asked: Collection[str] = ()) -> list[OpenCall]:
        """What a screen shows as long as it changes; not the calls that a person is asked about."""
        return [call for call_id, call in self._open.items() if self._folded and call_id not in asked]

    def note_preview(self, call_id: str, diff: str) -> None:
        """A change that was shown when it was asked for is not shown again when it is made."""
        self._previews[call_id] = diff.rstrip("\n")

    def show(self, part: Part, *, saved: bool) -> Iterator[Piece]:
        """A whole call, result, file or source, once: live if it came live, else when it is saved."""
        call_id = part.tool_call_id or ""
        if part.type == "tool-call":
            yield from self._begin(part, call_id, saved=saved)
        elif part.type == "tool-result" and call_id not in self._ended:
            self._ended.add(call_id)
            yield from self._end(part, call_id)
        elif part.type == "file" and part.file_id is not None and part.file_id not in self._files:
            self._files.add(part.file_id)
            shown = glimpse(part.name or part.file_id)
            yield from self._lines.note(f"+ {shown} ({glimpse(part.media_type or '')})", Tone.TOOL)
        elif part.type == "source" and part.url is not None and part.url not in self._sources:
            self._sources.add(part.url)
            title = f"{glimpse(part.title)} " if part.title else ""
            yield from self._lines.note(f"→ {title}{glimpse(part.url)}", Tone.TOOL)

    def print(self, part: Part) -> Iterator[Piece]:
        """Some more of what a call prints; the first piece says that it runs."""
        call_id = part.tool_call_id or ""
        call = self._open.setdefault(
            call_id, OpenCall(line=glimpse(part.tool_name or ""), output=CallOutput())
        )
        if call.since is None:
            call.since = self._now()
        if part.result_reset:
            call.output.clear()
            yield from self._lines.end()
        words = part.result_delta or ""
        call.output.add(words)
        if words:
            self._streamed.add(call_id)
        if not self._folded:
            yield from self._lines.go_on(Tone.TOOL, visible(words), call_id)

    def forget_preview(self) -> None:
        """What was only previewed will be said anew, or never."""
        self._open = {call_id: call for call_id, call in self._open.items() if call.saved}
        for call in self._open.values():
            # What it has printed is told again from its beginning on.
            call.output.clear()
        # A result is final: it may be told again, also after a restart of the server, but is no other.
        for known in (self._begun, self._streamed, self._sources):
            known.clear()

    def forget_sources(self) -> None:
        """Another reply names its own."""
        self._sources.clear()

    def close(self) -> Iterator[Piece]:
        """The turn is over: what has no result will get none."""
        left, self._open = self._open, {}
        for call in left.values() if self._folded else ():
            yield from self._lines.note(f"● {call.line}", Tone.CALL)

    def _begin(self, part: Part, call_id: str, *, saved: bool) -> Iterator[Piece]:
        if call_id in self._begun:
            if saved and call_id in self._open:
                self._open[call_id].saved = True
            return
        self._begun.add(call_id)
        # Some providers count their calls in each reply anew.
        self._ended.discard(call_id)
        self._last_begun = call_id
        self._open[call_id] = OpenCall(
            line=call_line(part),
            output=CallOutput(),
            saved=saved,
            # Who is waited for is seen beside it.
            is_quiet=part.tool_name == WAIT_AGENT,
        )
        if not self._folded:
            yield from self._lines.note(f"● {self._open[call_id].line}", Tone.CALL)

    def _end(self, part: Part, call_id: str) -> Iterator[Piece]:
        call = self._open.pop(call_id, None)
        tone = Tone.ERROR if part.is_error else Tone.TOOL
        # Right below its call, a result need not say whose it is.
        is_below = self._folded or call_id == self._last_begun
        whose = "" if is_below else f"{glimpse(call.line if call else part.tool_name or '')}: "
        if self._folded:
            line = call.line if call is not None else call_line(part)
            yield from self._lines.note(f"● {line}", Tone.CALL)
        if self._folded or call_id not in self._streamed:
            yield from self._output(part, call)
        first, *rest = result_lines(part)
        yield from self._lines.note(f"  {mark_of(part)} {whose}{first}{took(part)}", tone)
        for more in rest:
            yield from self._lines.note(f"    {more}", tone)
        yield from self._diff(part, call_id)

    def _output(self, part: Part, call: OpenCall | None) -> Iterator[Piece]:
        printed = output_of(part) or (call.output.lines() if call is not None and not call.is_quiet else [])
        if not printed:
            return
        self.last_output = printed
        if part.tool_name == ADVISOR:
            yield from self._advice(printed)
            return
        if (more := len(printed) - OUTPUT_LINES_MAX) > 0:
            yield from self._lines.note(f"  … {more:,} lines before; Ctrl-O shows all", Tone.TOOL)
        for line in printed[-OUTPUT_LINES_MAX:]:
            yield from self._lines.note(f"  {line}", Tone.TOOL)

    def _advice(self, lines: list[str]) -> Iterator[Piece]:
        """As a quotation in Markdown: it is not the agent who says it."""
        quoted = "".join(f"> {line}\n" for line in lines[:ADVICE_LINES_MAX])
        yield from self._lines.aside(Piece(Tone.TEXT, quoted))
        yield END_OF_TEXT
        if (more := len(lines) - ADVICE_LINES_MAX) > 0:
            yield from self._lines.note(f"  … {more:,} more lines; Ctrl-O shows all", Tone.TOOL)

    def _diff(self, part: Part, call_id: str) -> Iterator[Piece]:
        diff = diff_of(part)
        if diff.rstrip("\n") == self._previews.pop(call_id, None):
            return
        for change in diff_lines(diff):
            yield from self._lines.note(visible(change), Tone.DIFF)
