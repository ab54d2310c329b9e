"""A field to type in, below what is printed; above it what is being said, below it a line of status."""

import sys
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from typing import TextIO, cast

from msgspec import Struct
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, DummyCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, merge_formatted_text
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.patch_stdout import StdoutProxy
from prompt_toolkit.styles import Style

from chatd.cli.talk.drawing.looks import Row, as_ansi
from chatd.cli.talk.typing.ending import Ended, Pressed
from chatd.cli.talk.typing.keys import Typist, bindings

# Rows that are complete are drawn above the prompt together, this often. prompt_toolkit would take 0.2 s, in
# which a row that is complete cannot be seen.
REDRAWN_SECONDS = 0.03
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
    # Ctrl-T, and Esc in an empty field.
    unfold: Callable[[], None] = lambda: None
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
def printing_above_the_prompt() -> Iterator[None]:
    with StdoutProxy(sleep_between_writes=REDRAWN_SECONDS, raw=True) as proxy:
        output = cast("TextIO", proxy)
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
        self._being_said: Sequence[Row] = ()
        self._begin_with = ""
        self._pressed = False
        self.was_begun_before = False
        # What was typed is shown as part of the chat, when the chat has it.
        self._session: PromptSession[str] = PromptSession(
            input=_Input(sys.stdin),
            erase_when_done=True,
            multiline=True,
            prompt_continuation="  ",
            key_bindings=bindings(self),
            history=aids.history,
            completer=aids.completer,
            complete_while_typing=Condition(self._offers),
            enable_open_in_editor=True,
            bottom_toolbar=self._status,
            style=_STYLE,
        )
        self._session.app.ttimeoutlen = 0.05

    def columns(self) -> int:
        return self._session.output.get_size().columns

    def press(self) -> None:
        app = self._session.app
        if app.is_running and not app.is_done:
            app.exit(exception=KeyboardInterrupt)
        else:
            self._pressed = True

    def begin_with(self, text: str) -> None:
        self._begin_with = text

    def unfold(self) -> None:
        self._aids.unfold()

    def answer_by(self, key: str) -> str | None:
        """The whole line that this key stands for; None: it is typed like any other."""
        return self._aids.answers().get(key) if self._was_seen() else None

    async def read(self, question: str) -> str:
        self._ask(question)
        self.was_begun_before = False
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

    def show(self, question: str, being_said: Sequence[Row]) -> None:
        if question != self._question and self._session.default_buffer.text:
            self.was_begun_before = True
        self._ask(question)
        self._being_said = being_said
        self._session.app.invalidate()

    def _was_seen(self) -> bool:
        loop = self._session.app.loop
        return loop is not None and loop.time() - self._asked_at >= SEEN_SECONDS

    def _ask(self, question: str) -> None:
        loop = self._session.app.loop
        if question != self._question and loop is not None:
            self._asked_at = loop.time()
        self._question = question

    def _message(self) -> AnyFormattedText:
        rows_max = max(3, self._session.output.get_size().rows - ROWS_FOR_TYPING)
        rows = self._being_said[-rows_max:]
        said = "".join(f"{as_ansi(row, coloured=self._aids.coloured)}\n" for row in rows)
        return merge_formatted_text([ANSI(said), [("bold", self._question)]])

    def _status(self) -> AnyFormattedText:
        status = self._aids.status(self.columns() - 1)
        return f"{ONE_KEY} {status}" if self._aids.answers() and self._was_seen() else status

    def _offers(self) -> bool:
        """Only what begins with a mark of its own is completed: suggestions would disturb in prose."""
        document = self._session.default_buffer.document
        word = document.get_word_before_cursor(WORD=True)
        return document.text.startswith("/") or word.startswith("@")
