"""What is printed belongs to the terminal; what was half said is taken back when it is said anew."""

from collections.abc import Sequence

from chatd.cli.talk.drawing.drawing import Drawing
from chatd.cli.talk.drawing.looks import Row, text_of
from chatd.cli.talk.drawing.printed import KEPT_LENGTH_MAX, Printed
from chatd.cli.talk.drawing.roll import SAID_ANEW, Roll
from chatd.cli.talk.showing.pieces import END_OF_TEXT, VOID, Piece, Tone

COLUMNS = 20
HALF = Piece(Tone.TEXT, "one two three four five six seven", is_preview=True)
WHOLE = Piece(Tone.TEXT, "eins zwei drei\n")
NOTE = Piece(Tone.NOTE, "A note.\n")
BESIDE = Piece(Tone.NOTE, "A note.\n", beside=True)


class Sheet:
    """A terminal of so many rows, of which some are above ours."""

    def __init__(self, rows: int = 10) -> None:
        self.lines: list[str] = []
        self._rows = rows

    def print(self, rows: Sequence[Row]) -> None:
        self.lines += map(text_of, rows)

    def take_back(self, count: int) -> bool:
        if count > self._rows:
            return False
        del self.lines[len(self.lines) - count :]
        return True


def printed(*pieces: Piece, rows: int = 10) -> list[str]:
    sheet = Sheet(rows)
    roll = Roll(sheet, lambda: COLUMNS, lambda: 0.0)
    for piece in pieces:
        roll.add([piece])
    return sheet.lines


def test_what_was_half_said_goes_when_it_is_said_anew() -> None:
    assert printed(HALF) == ["one two three four"]
    assert printed(HALF, VOID, WHOLE, END_OF_TEXT) == ["eins zwei drei"]


def test_notes_in_between_stay() -> None:
    assert printed(HALF, NOTE) == ["one two three four", "five six seven", "A note."]
    assert printed(HALF, NOTE, HALF, VOID, WHOLE, END_OF_TEXT) == ["A note.", "eins zwei drei"]


def test_a_note_beside_what_is_said_comes_above_the_row_that_is_open() -> None:
    rest = Piece(Tone.TEXT, " eight\n", is_preview=True)

    assert printed(HALF, BESIDE, rest) == ["one two three four", "A note.", "five six seven eight"]
    assert printed(HALF, BESIDE, HALF, VOID, WHOLE, END_OF_TEXT) == ["A note.", "eins zwei drei"]


def test_thoughts_that_are_shown_beside_what_is_said_do_not_save_it() -> None:
    thoughts = Piece(Tone.REASONING, "Hm.\n", beside=True)

    assert printed(HALF, thoughts, VOID, WHOLE) == ["Hm.", "eins zwei drei"]


def test_what_is_saved_is_not_taken_back() -> None:
    assert printed(HALF, END_OF_TEXT, NOTE, HALF, VOID) == ["one two three four", "five six seven", "A note."]


def test_what_is_not_on_the_screen_any_more_stays_and_it_is_said_that_it_is_said_anew() -> None:
    long = Piece(Tone.TEXT, "word " * 100, is_preview=True)

    assert printed(long, VOID, WHOLE, rows=5)[-2:] == [SAID_ANEW, "eins zwei drei"]


def redrawn(kept: Printed, columns: int) -> list[str]:
    return [text_of(row) for row in kept.redraw(Drawing(lambda: columns, lambda: 0.0))]


def test_what_was_printed_is_drawn_anew_at_another_width_without_what_is_void() -> None:
    kept = Printed(lambda: 0.0)
    for piece in (HALF, NOTE, VOID, HALF, Piece(Tone.TEXT, " eight\n"), END_OF_TEXT):
        kept.add(piece, fold=True)

    assert redrawn(kept, 30) == ["A note.", "one two three four five six", "seven eight"]
    assert redrawn(kept, 60) == ["A note.", "one two three four five six seven eight"]


def test_a_note_beside_what_is_said_breaks_no_row_at_another_width_either() -> None:
    kept = Printed(lambda: 0.0)
    for piece in (HALF, BESIDE, BESIDE, Piece(Tone.TEXT, " eight\n", is_preview=True)):
        kept.add(piece, fold=True)

    notes = ["A note.", "A note."]
    assert redrawn(kept, 30) == ["one two three four five six", *notes, "seven eight"]
    assert redrawn(kept, 60) == [*notes, "one two three four five six seven eight"]


def test_what_is_kept_of_it_has_a_bound() -> None:
    kept = Printed(lambda: 0.0)
    for number in range(20_000):
        kept.add(Piece(Tone.NOTE, f"Note {number}.\n"), fold=True)

    rows = redrawn(kept, 80)
    assert rows[-1] == "Note 19999."
    assert sum(map(len, rows)) <= 2 * KEPT_LENGTH_MAX
