"""A field to type in, below what is printed; above it what lasts, below it a line of status."""

import sys
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from typing import TextIO, cast

from msgspec import Struct
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, DummyCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.styles import Style

from chatd.cli.talk.drawing.glyphs import cells_of
from chatd.cli.talk.drawing.looks import Row, as_ansi, as_fragments, text_of
from chatd.cli.talk.typing.above import Above, Redrawn, StrayText, rows_taken
from chatd.cli.talk.typing.editing_mode import types_as_in_vi
from chatd.cli.talk.typing.ending import Ended, Pressed
from chatd.cli.talk.typing.keys import Typist, bindings
from chatd.cli.talk.typing.output import held_output
from chatd.cli.talk.typing.pasted import Pasted

# Rows of the terminal that are left for the field and the status when much is being said.
ROWS_FOR_TYPING = 8
# An answer by a single key counts when the question has been seen for so long.
SEEN_SECONDS = 0.7

ONE_KEY = "One key answers."

_STYLE = Style.from_dict({"bottom-toolbar": "noreverse fg:ansibrightblack"})


class Aids(Struct, kw_only=True):
    """What helps a person who types."""

    history: History = InMemoryHistory()
    completer: Completer = DummyCompleter()
    # What the line of status says, for so many columns.
    status: Callable[[int], str] = lambda _: ""
    # What a single key comes to at this moment, typed into an empty field: a whole line.
    answers: Callable[[], Mapping[str, str]] = dict
    # Ctrl-T.
    unfold: Callable[[], None] = lambda: None
    # Ctrl-O.
    print_output: Callable[[], None] = lambda: None
    # Whether something that was typed waits for the agent, and taking it back, to be changed.
    has_queued: Callable[[], bool] = lambda: False
    take_queued: Callable[[], None] = lambda: None
    # What was printed on a screen that was so wide: as it was drawn then, and as it is to be drawn now.
    redraw: Callable[[int], tuple[Sequence[Row], Sequence[Row]]] = lambda _: ((), ())
    coloured: bool = True


@contextmanager
def keys_as_they_are() -> Iterator[None]:
    """Also between two lines, when no field is there: nothing is echoed, and Enter stays Enter.

    The terminal would turn it into a line break, which in the field is another key.
    """
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    ours = termios.tcgetattr(handle)
    ours[0] &= ~termios.ICRNL
    ours[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(handle, termios.TCSANOW, ours)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSANOW, before)


@contextmanager
def stray_text_above(terminal: "Terminal") -> Iterator[None]:
    output = cast("TextIO", StrayText(terminal.above))
    with redirect_stdout(output), redirect_stderr(output):
        yield


class _Input(Vt100Input):
    """While something is printed above the field, prompt_toolkit would let the terminal turn Enter into a
    line break, and an Enter of that moment would not send. Editors set the terminal as they need it.
    """

    def cooked_mode(self) -> AbstractContextManager[None]:
        return nullcontext()


class Terminal(Typist):
    waits_at_end = False

    def __init__(self, aids: Aids) -> None:
        self._aids = aids
        self._question = ""
        self._asked_at = 0.0
        self._panel: Sequence[Row] = ()
        self._begin_with = ""
        self._pressed = False
        self.was_begun_before = False
        self.pasted = Pasted()
        output = held_output()
        # What was typed is shown as part of the chat, when the chat has it.
        self._session: PromptSession[str] = PromptSession(
            input=_Input(sys.stdin),
            output=output,
            erase_when_done=True,
            multiline=True,
            prompt_continuation="  ",
            key_bindings=bindings(self),
            history=aids.history,
            completer=aids.completer,
            complete_while_typing=Condition(self._offers),
            bottom_toolbar=self._status,
            style=_STYLE,
            vi_mode=types_as_in_vi(),
        )
        # So long after Esc another key makes it Alt and that key; slower terminals send both at once anyway.
        self._session.app.ttimeoutlen = 0.05
        self._session.app.timeoutlen = 0.3
        self.above = Above(
            self._session.app,
            output,
            redraw=self._redrawn,
            panel_cells=lambda: [cells_of(text_of(row)) for row in self._panel],
        )

    def columns(self) -> int:
        return self._session.output.get_size().columns

    def press(self) -> None:
        """Ctrl-C. What was typed goes first, and can be had again with the arrow key."""
        app, field = self._session.app, self._session.default_buffer
        if not app.is_running or app.is_done:
            self._pressed = True
        elif field.text:
            field.text = self.pasted.whole(field.text)
            field.append_to_history()
            field.reset()
        else:
            app.exit(exception=KeyboardInterrupt)

    def begin_with(self, text: str) -> None:
        self._begin_with = text

    def unfold(self) -> None:
        self._aids.unfold()

    def print_output(self) -> None:
        self._aids.print_output()

    def has_queued(self) -> bool:
        return self._aids.has_queued()

    def take_queued(self) -> None:
        self._aids.take_queued()

    def place(self, row: int) -> None:
        self.above.place(row)

    def type_in(self, text: str) -> None:
        self._session.default_buffer.insert_text(text)

    def answer_by(self, key: str) -> str | None:
        """The whole line that this key stands for; None: it is typed like any other."""
        return self._aids.answers().get(key) if self._was_seen() else None

    async def read(self, question: str) -> str:
        self._ask(question)
        self.was_begun_before = False
        self.pasted.forget()
        if self._pressed:
            self._pressed = False
            raise Pressed
        begun, self._begin_with = self._begin_with, ""
        try:
            return await self._session.prompt_async(self._message, handle_sigint=False, default=begun)
        except KeyboardInterrupt as error:
            raise Pressed from error
        except EOFError as error:
            raise Ended from error
        finally:
            self.above.release()

    def make_room(self) -> None:
        """What is printed comes above the field."""

    def show(self, question: str, panel: Sequence[Row]) -> None:
        if question != self._question and self._session.default_buffer.text:
            self.was_begun_before = True
        self._ask(question)
        self._panel = panel
        self._session.app.invalidate()

    def print(self, rows: Sequence[Row]) -> None:
        self.above.print(self._drawn(rows))

    def take_back(self, count: int) -> bool:
        return self.above.take_back(count)

    def _redrawn(self, columns_before: int) -> Redrawn:
        before, now = self._aids.redraw(columns_before)
        columns = self.columns()
        return Redrawn(self._drawn(now), sum(rows_taken(cells_of(text_of(row)), columns) for row in before))

    def _drawn(self, rows: Sequence[Row]) -> list[str]:
        return [as_ansi(row, coloured=self._aids.coloured) for row in rows]

    def _was_seen(self) -> bool:
        loop = self._session.app.loop
        return loop is not None and loop.time() - self._asked_at >= SEEN_SECONDS

    def _ask(self, question: str) -> None:
        loop = self._session.app.loop
        if question != self._question and loop is not None:
            self._asked_at = loop.time()
        self._question = question

    def _message(self) -> StyleAndTextTuples:
        rows_max = max(3, self._session.output.get_size().rows - ROWS_FOR_TYPING)
        message: StyleAndTextTuples = []
        for row in self._panel[-rows_max:]:
            message += [*as_fragments(row, coloured=self._aids.coloured), ("", "\n")]
        return [*message, ("bold", self._question)]

    def _status(self) -> str:
        shown = f"{ONE_KEY} " if self._aids.answers() and self._was_seen() else ""
        return shown + self._aids.status(self.columns() - 1 - len(shown))

    def _offers(self) -> bool:
        """Only what begins with a mark of its own is completed: suggestions would disturb in prose."""
        document = self._session.default_buffer.document
        word = document.get_word_before_cursor(WORD=True)
        return document.text.startswith("/") or word.startswith("@")
