"""Printing above the field, and painting the whole screen anew when it has another size."""

import io
from collections.abc import Callable, Sequence

from msgspec import Struct
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.renderer import HeightIsUnknownError

from chatd.cli.talk.typing.output import HeldOutput

# A window that is dragged changes its size many times a second.
REPAINT_SECONDS = 0.15

_CLEAR_LINE, _CLEAR_BELOW = "\x1b[2K", "\x1b[J"


class Redrawn(Struct, frozen=True):
    """All that was printed, for the width that the screen has now."""

    rows: Sequence[str]
    # How many rows of the screen it takes, as the terminal has wrapped it.
    taken: int


def rows_taken(cells: int, columns: int) -> int:
    """By a row of so many cells in a terminal that has become narrower."""
    return max(1, -(-cells // max(1, columns)))


class Above:
    """What is printed and the field below it reach the terminal together, so that nothing flickers."""

    def __init__(
        self,
        app: Application[str],
        output: HeldOutput,
        *,
        redraw: Callable[[int], Redrawn],
        panel_cells: Callable[[], Sequence[int]],
    ) -> None:
        """`redraw` is given the width that the screen had; `panel_cells`: of the rows above the field."""
        self._app = app
        self._output = output
        self._redraw = redraw
        self._panel_cells = panel_cells
        self._size: Size | None = None
        # The width for which what is on the screen was drawn.
        self._drawn_for = 0
        # Rows that were printed since the terminal was asked where the field is.
        self._since_asked = 0
        # The row of the field; and where what is printed ends since it is gone, until the terminal says where
        # the next one is. None: not known.
        self._drawn_at: int | None = None
        self._left_at: int | None = None
        app.after_render += self._rendered

    def print(self, rows: Sequence[str]) -> None:
        """Rows that are complete, each of at most the width of the screen."""
        if not rows:
            return
        self._write("".join(f"{row}\r\n" for row in rows), len(rows))

    def take_back(self, count: int) -> bool:
        row = self._end_row()
        if count and (row is None or count >= row or self._size != self._output.get_size()):
            return False
        if count:
            self._write(f"\x1b[{count}A{_CLEAR_BELOW}", -count)
        return True

    def place(self, row: int) -> None:
        """The terminal says where the field was when it was asked. By now, more may stand above it; taken as
        it is, the field would be drawn too far down, and what is on the screen would be pushed out.
        """
        known = self._first_row()
        now = min(self._output.get_size().rows, row + self._since_asked) if known is None else known
        self._since_asked = 0
        self._left_at = None
        self._app.renderer.report_absolute_cursor_row(now)

    def release(self) -> None:
        """The field is gone; nothing will be drawn with what was held."""
        self._since_asked = 0
        self._left_at = self._drawn_at
        self._output.release()

    @property
    def _is_drawn(self) -> bool:
        return self._app.is_running and not self._app.is_done

    def _write(self, text: str, rows: int) -> None:
        """So many rows more, or fewer."""
        if self._left_at is not None:
            self._left_at = min(self._output.get_size().rows, self._left_at + rows)
        if self._is_drawn:
            self._write_above(text, rows)
        else:
            self._output.write_raw(text)
            self._output.flush()

    def _write_above(self, text: str, rows: int) -> None:
        """Where the field is, which is drawn below it then."""
        row, renderer = self._first_row(), self._app.renderer
        self._output.hold()
        renderer.erase(leave_alternate_screen=False)
        self._output.write_raw(text)
        if row is not None:
            self._drawn_at = min(self._output.get_size().rows, row + rows)
            renderer.report_absolute_cursor_row(self._drawn_at)
        elif renderer.waiting_for_cpr:
            self._since_asked += rows
        else:
            renderer.request_absolute_cursor_position()
        self._app.invalidate()

    def _end_row(self) -> int | None:
        """The one below what is printed: of the field, or where it will be."""
        row = self._first_row() if self._is_drawn else None
        return self._left_at if row is None else row

    def _first_row(self) -> int | None:
        """Of the field; None: it is not known yet where that is."""
        try:
            return self._app.renderer.rows_above_layout + 1
        except HeightIsUnknownError:
            return None

    def _rendered(self, _: object) -> None:
        self._output.release()
        size, before = self._output.get_size(), self._size
        if self._is_drawn:
            self._note_row(size)
        self._size = size
        if before is None:
            self._drawn_for = size.columns
        elif size != before and self._app.loop is not None:
            # As the terminal has wrapped them, so far.
            left = sum(rows_taken(cells, size.columns) - 1 for cells in self._panel_cells())
            self._app.loop.call_later(REPAINT_SECONDS, self._repaint, size, left)

    def _note_row(self, size: Size) -> None:
        screen = self._app.renderer.last_rendered_screen
        if self._left_at is not None and screen is not None:
            # What is drawn at the end of the screen pushes what is above it up.
            self._left_at = min(self._left_at, size.rows - screen.height + 1)
        self._drawn_at = self._end_row()

    def _repaint(self, size: Size, left: int) -> None:
        """A terminal breaks what it has in the middle of words, and field and rows get into one another."""
        first = self._first_row() if self._is_drawn else None
        if size != self._output.get_size() or first is None:
            return
        redrawn = self._redraw(self._drawn_for)
        self._drawn_for = size.columns
        # What stands above ours is not ours to paint over.
        is_full = len(redrawn.rows) >= size.rows
        top = 1 if is_full else max(1, first - left - redrawn.taken)
        shown = redrawn.rows[-(size.rows - 1) :]
        self._output.hold()
        self._app.renderer.reset(leave_alternate_screen=False)
        # Line by line: a screen that is cleared at once goes into the history of some terminals.
        lines = "".join(f"{_CLEAR_LINE}{row}\r\n" for row in shown)
        self._output.write_raw(f"\x1b[{top}H{lines}{_CLEAR_BELOW}")
        self._app.renderer.report_absolute_cursor_row(min(size.rows, top + len(shown)))
        self._app.invalidate()


class StrayText(io.TextIOBase):
    """What a library prints by itself, such as a warning, comes above the field as well."""

    def __init__(self, above: Above) -> None:
        self._above = above
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        self._above.print(lines)
        return len(text)
