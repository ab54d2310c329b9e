"""What a talk shows, and where: rows above the field and what lasts, or plain text in a pipe."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.drawing.panel_rows import panel_rows
from chatd.cli.talk.drawing.screen import PlainScreen, RowScreen
from chatd.cli.talk.showing.panel import PanelLine, unsent_lines
from chatd.cli.talk.showing.pieces import END_OF_TEXT, Piece, Tone
from chatd.cli.talk.showing.status_line import Facts, status_line
from chatd.cli.talk.showing.transcript import own_words
from chatd.cli.talk.showing.view import View
from chatd.cli.talk.typing.keyboard import Keyboard, is_screen, is_terminal

# How often what counts seconds is drawn.
TICK_SECONDS = 1.0
UNKNOWN_COLUMNS: Final = 80
# Messages that are under way at once: more than a person types ahead.
TYPED_MAX: Final = 100

# What is typed while an agent of the chat asks is for the chat, so its answers are commands.
_FOR_AGENT: Final = {"y": "/approve", "c": "/approve chat", "a": "/approve always", "n ": "/deny "}


class Display:
    """`question` is what stands before what is typed, `unsent` what was typed and is kept."""

    def __init__(self, question: Callable[[], str], unsent: Callable[[], Sequence[str]]) -> None:
        self._question = question
        self._unsent = unsent
        self._keys: Keyboard | None = None
        # Asked now: later, what is printed goes to the field.
        self._is_echoed = is_terminal() and not is_screen()
        self._rows = RowScreen(self, self._columns) if is_screen() else None
        self._screen: RowScreen | PlainScreen = self._rows or PlainScreen()
        self.view = View(time.monotonic, folded=self.is_screen)
        # Messages that stand on the terminal as they were typed, until the chat has them.
        self._typed: deque[str] = deque(maxlen=TYPED_MAX)
        # A message is being changed: nothing else is answered meanwhile.
        self.is_editing = False

    @property
    def is_screen(self) -> bool:
        return self._rows is not None

    def attach(self, keys: Keyboard) -> None:
        self._keys = keys

    def begin_view(self, facts: Facts) -> None:
        """Another chat."""
        self.end_view()
        self.view = View(time.monotonic, folded=self.is_screen, facts=facts)

    def end_view(self) -> None:
        """What was being said goes on without us: of it, what is there is complete."""
        self.show([*self.view.lines.end(), END_OF_TEXT])

    def show(self, pieces: Iterable[Piece] = ()) -> None:
        if self._keys is None or not self.is_screen:
            self._show_lines(list(pieces))
        else:
            self._screen.show_all(pieces)
            lasting = panel_rows(self._panel(), self._columns())
            self._keys.show(self._question(), [*self._screen.being_said(), *lasting])

    def typed(self, words: str) -> None:
        """It is sent as a message. The terminal has shown it, which a screen takes back and lines are not."""
        if self._is_echoed:
            self._typed.append(own_words(words))

    def note(self, words: str, tone: Tone = Tone.NOTE) -> None:
        self.tell(Piece(tone, f"{words}\n"))

    def tell(self, piece: Piece) -> None:
        """Something beside what is being said, such as the answer to a command."""
        self.show(self.view.lines.beside(piece))

    def status(self, columns: int) -> str:
        activity = self.view.activity
        return status_line(self.view.facts, activity.words(), activity.seconds, columns)

    async def tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if self.view.activity.is_counting or self.view.asked is not None:
                self.show()

    def answers_by_key(self) -> Mapping[str, str]:
        asked = self.view.asked
        if asked is None or self.is_editing:
            return {}
        keys = self.view.answering.keys(asked.awaited)
        return keys if not asked.agent else {key: _FOR_AGENT[line] for key, line in keys.items()}

    def unfold(self) -> None:
        """Show the newest thoughts, and from now on all of them, or none any more."""
        if self._rows is None:
            return
        words = "Thoughts are shown. Ctrl-T folds them." if self._rows.folds else "Thoughts are folded."
        if self.view.lines.is_thought:
            # What is being thought looks different from here on.
            self.show(self.view.lines.note(words))
        else:
            self.note(words)
        is_folded, thoughts = self._rows.unfold()
        if not is_folded and thoughts:
            self.note(thoughts, Tone.REASONING)

    def print_output(self) -> None:
        """All that the last call has printed, of which only the end was shown."""
        printed = self.view.calls.last_output
        self.note("\n".join(printed) or "No call has printed anything yet.", Tone.TOOL)

    def redraw(self, columns_before: int) -> tuple[Sequence[Row], Sequence[Row]]:
        """What was printed on a screen that was so wide: as it was drawn then, and for its width now."""
        # What is being said has another width as well.
        asyncio.get_running_loop().call_soon(self.show)
        return self._rows.redraw(columns_before) if self._rows is not None else ((), ())

    # What the screen prints on.

    def print(self, rows: Sequence[Row]) -> None:
        if self._keys is not None:
            self._keys.print(rows)

    def take_back(self, count: int) -> bool:
        return self._keys is not None and self._keys.take_back(count)

    def _show_lines(self, pieces: Sequence[Piece]) -> None:
        shown = [piece for piece in pieces if not self._was_typed(piece)]
        if self._keys is None:
            self._screen.show_all(shown)
            return
        if shown:
            self._keys.make_room()
        self._screen.show_all(shown)
        self._keys.show(self._question(), ())

    def _was_typed(self, piece: Piece) -> bool:
        was_typed = piece.tone is Tone.USER and piece.text in self._typed
        if was_typed:
            self._typed.remove(piece.text)
        return was_typed

    def _columns(self) -> int:
        return self._keys.columns() if self._keys is not None else UNKNOWN_COLUMNS

    def _panel(self) -> Iterator[PanelLine]:
        yield from self.view.panel()
        yield from unsent_lines(self._unsent())
        if not self.is_editing:
            yield from self.view.choices()
