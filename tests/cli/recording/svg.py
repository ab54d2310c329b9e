"""Screens of a terminal as an SVG that moves, or with one screen as one that stands still.

Pages show it like any picture. Text stays text, so it is small and sharp at any size, and it is light or dark
as the reader's system is. Each row is written once and used by every frame that has it; frames lie side by
side, and the picture moves along them in jumps.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate

from tests.cli.recording.frames import Frame, Look, Row, Shown, Span
from tests.support.pseudo_terminal import Size

CELL_WIDTH, CELL_HEIGHT, BASELINE = 8.4, 19, 14
MARGIN, BAR = 14, 30
FONT = "14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
MARKS = ".b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}"
# What the emulator calls a colour, in light and in dark.
COLOURS: Mapping[str, tuple[str, str]] = {
    "black": ("#1f2328", "#484f58"),
    "red": ("#cf222e", "#ff7b72"),
    "green": ("#116329", "#3fb950"),
    "brown": ("#7d4e00", "#d29922"),
    "blue": ("#0550ae", "#79c0ff"),
    "magenta": ("#8250df", "#d2a8ff"),
    "cyan": ("#1b7c83", "#39c5cf"),
    "white": ("#59636e", "#b1bac4"),
    "brightblack": ("#59636e", "#8b949e"),
}
INK, PAPER, LINES = ("#1f2328", "#e6edf3"), ("#ffffff", "#0d1117"), ("#d1d9e0", "#30363d")


def svg(frames: Sequence[Frame], size: Size, *, title: str) -> str:
    width = round(size.columns * CELL_WIDTH) + 2 * MARGIN
    height = size.rows * CELL_HEIGHT + BAR + MARGIN
    rows = _numbered(frames)
    dots = "".join(f'<circle cx="{left}" cy="16" r="5"/>' for left in (20, 38, 56))
    drawn = "".join(_frame(frame.shown, rows, at * width) for at, frame in enumerate(frames))
    pieces = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" ',
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_style()}{_motion(frames, width)}</style>",
        f"<defs>{''.join(_row(row, name) for row, name in rows.items())}</defs>",
        f'<rect class="p" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9"/>',
        f'<g class="d">{dots}</g>',
        f'<svg y="{BAR}" width="{width}" height="{height - BAR}"><g class="s">{drawn}</g></svg></svg>\n',
    )
    return "".join(pieces)


def _numbered(frames: Sequence[Frame]) -> dict[Row, str]:
    every = (row for frame in frames for row in frame.shown.rows if row)
    return {row: f"r{number}" for number, row in enumerate(dict.fromkeys(every))}


def _frame(shown: Shown, rows: Mapping[Row, str], left: int) -> str:
    uses = [f'<use href="#{rows[row]}" y="{at * CELL_HEIGHT}"/>' for at, row in enumerate(shown.rows) if row]
    if shown.cursor is not None:
        column, row = shown.cursor
        place = f'x="{_left(column)}" y="{row * CELL_HEIGHT + 1}"'
        uses.append(f'<rect class="c" {place} width="2" height="{CELL_HEIGHT - 3}"/>')
    return f'<g transform="translate({left})">{"".join(uses)}</g>'


def _row(row: Row, name: str) -> str:
    return f'<g id="{name}">{"".join(piece for span in row for piece in _span(span))}</g>'


def _span(span: Span) -> Iterator[str]:
    """`textLength` keeps columns in line, whatever letters the reader has."""
    left, length = _left(span.column), round(span.cells * CELL_WIDTH, 1)
    if span.look.background:
        yield f'<rect class="{span.look.background}" x="{left}" width="{length}" height="{CELL_HEIGHT}"/>'
    if span.text.strip():
        classes = " ".join(_classes(span.look))
        marked = f' class="{classes}"' if classes else ""
        text = escape(span.text, quote=False)
        yield f'<text{marked} x="{left}" y="{BASELINE}" textLength="{length}">{text}</text>'


def _classes(look: Look) -> Iterator[str]:
    if look.colour in COLOURS:
        yield look.colour
    elif look.background:
        yield "on"
    yield from (
        mark for mark, is_so in (("b", look.bold), ("i", look.italic), ("u", look.underline)) if is_so
    )


def _left(column: int) -> str:
    return f"{column * CELL_WIDTH + MARGIN:.1f}".removesuffix(".0")


def _style() -> str:
    letters = f"text{{font:{FONT};white-space:pre}}{MARKS}"
    return f"{letters}{_colours(0)}@media(prefers-color-scheme:dark){{{_colours(1)}}}"


def _colours(side: int) -> str:
    """Of the light side or of the dark one."""
    fills = {
        "text,.c,.ink": INK,
        ".p,.on": PAPER,
        ".d": LINES,
        **{f".{name}": both for name, both in COLOURS.items()},
    }
    rules = "".join(f"{which}{{fill:{both[side]}}}" for which, both in fills.items())
    return f"{rules}.p{{stroke:{LINES[side]}}}"


def _motion(frames: Sequence[Frame], width: int) -> str:
    if len(frames) == 1:
        return ""
    *begins, total = accumulate((frame.seconds for frame in frames), initial=0.0)
    jumps = [
        f"{begun / total:.3%}{{transform:translate({-at * width}px)}}" for at, begun in enumerate(begins)
    ]
    return f"@keyframes k{{{''.join(jumps)}}}.s{{animation:k {total:.1f}s step-end infinite}}"
