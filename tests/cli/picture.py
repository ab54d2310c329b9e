"""Screens of terminals as pictures, to be looked at: build/screens has one of every journey."""

import os
import re
from html import escape
from pathlib import Path

import pyte

FOLDER = Path(__file__).resolve().parents[2] / "build" / "screens"

CELL_WIDTH, CELL_HEIGHT = 9, 19
COLOURS = {
    "default": "#d8dee4",
    "black": "#30363d",
    "red": "#ff7b72",
    "green": "#7ee787",
    "brown": "#e3b341",
    "blue": "#79c0ff",
    "magenta": "#d2a8ff",
    "cyan": "#56d4dd",
    "white": "#d8dee4",
    "brightblack": "#8b949e",
}


def keep_picture(screen: pyte.Screen, name: str = "") -> None:
    """As text, and as a drawing with its colours. The test that runs gives them their name."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "screen").rpartition("::")[2].removesuffix(" (call)")
    file = FOLDER / re.sub(r"[^\w-]+", "-", f"{test}-{name}" if name else test).strip("-")
    FOLDER.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".txt").write_text("\n".join(screen.display) + "\n", encoding="utf-8")
    file.with_suffix(".svg").write_text(_drawn(screen), encoding="utf-8")


def _drawn(screen: pyte.Screen) -> str:
    width, height = screen.columns * CELL_WIDTH + 16, screen.lines * CELL_HEIGHT + 16
    cells = (_cell(screen, x, y) for y in range(screen.lines) for x in range(screen.columns))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="DejaVu Sans Mono, Noto Sans Mono CJK SC, monospace" font-size="15">'
        f'<rect width="100%" height="100%" fill="#0d1117"/>{"".join(cells)}</svg>\n'
    )


def _cell(screen: pyte.Screen, x: int, y: int) -> str:
    cell = screen.buffer[y][x]
    is_cursor = (screen.cursor.x, screen.cursor.y) == (x, y)
    left, top = 8 + x * CELL_WIDTH, 8 + y * CELL_HEIGHT
    shape = (
        f'<rect x="{left}" y="{top}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}" fill="#6e7681"/>'
        if is_cursor or cell.reverse
        else ""
    )
    if not cell.data.strip():
        return shape
    looks = [f'fill="{COLOURS.get(cell.fg, f"#{cell.fg}")}"']
    looks += ['font-weight="bold"'] if cell.bold else []
    looks += ['font-style="italic"'] if cell.italics else []
    looks += ['text-decoration="underline"'] if cell.underscore else []
    return f'{shape}<text x="{left}" y="{top + 15}" {" ".join(looks)}>{escape(cell.data)}</text>'
