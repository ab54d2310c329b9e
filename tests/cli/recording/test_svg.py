"""The recording of the terminal, as a picture."""

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.cli.recording.frames import Frame, Look, RecordedTerminal, Shown, Span
from tests.cli.recording.svg import svg
from tests.house.repository import ROOT
from tests.support.pseudo_terminal import Size, in_terminal

SIZE = Size(columns=20, rows=3)
PLAIN = Look("", "", bold=False, italic=False, underline=False)
SPACE = "{http://www.w3.org/2000/svg}"


async def test_what_a_program_draws_is_kept_with_its_looks(tmp_path: Path) -> None:
    drawn = r"print('a \x1b[1;32mb\x1b[0m  \x1b[2mc\x1b[0m \x1b[7md\x1b[0m')"
    async with in_terminal(RecordedTerminal, (sys.executable, "-c", drawn), tmp_path, {}, SIZE) as terminal:
        await terminal.wait_until(lambda: "d" in terminal.rows()[0], 30)
        newest = terminal.frames()[-1].shown

    assert newest.rows[0] == (
        Span(0, 1, "a", PLAIN),
        Span(2, 1, "b", PLAIN._replace(colour="green", bold=True)),
        Span(5, 1, "c", PLAIN._replace(colour="brightblack")),
        Span(7, 1, "d", PLAIN._replace(background="ink")),
    )
    assert newest.cursor == (0, 1)


def test_a_picture_has_each_row_once_and_jumps_from_frame_to_frame() -> None:
    row = (Span(0, 5, "<sum>", PLAIN._replace(colour="red")),)
    frames = [Frame(Shown((row, (), ()), None), 1.0), Frame(Shown((row, row, ()), (0, 2)), 3.0)]

    drawn = svg(frames, SIZE, title="A & B")

    picture = ET.fromstring(drawn)  # noqa: S314 - our own
    assert picture.get("aria-label") == "A & B"
    assert [text.text for text in picture.iter(f"{SPACE}text")] == ["<sum>"]
    assert len(list(picture.iter(f"{SPACE}use"))) == 3
    assert "25.000%{transform:translate(-196px)}" in drawn
    assert "prefers-color-scheme:dark" in drawn
    assert "@keyframes" not in svg(frames[:1], SIZE, title="")


def test_the_pictures_in_the_repository_can_be_read_and_are_small() -> None:
    for name in ("terminal.svg", "terminal-still.svg"):
        path = ROOT / "docs/images" / name
        ET.parse(path)  # noqa: S314 - our own
        assert path.stat().st_size < 200_000
