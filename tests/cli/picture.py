"""Screens of terminals as pictures, to be looked at: build/screens has one of every journey."""

import os
import re
from pathlib import Path

from tests.cli.recording.frames import Frame, shown_on
from tests.cli.recording.svg import svg
from tests.support.pseudo_terminal import Screen, Size

FOLDER = Path(__file__).resolve().parents[2] / "build" / "screens"


def keep_picture(screen: Screen, name: str) -> None:
    """As text, and as a drawing with its colours. The test that runs gives them their name."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "screen").rpartition("::")[2].removesuffix(" (call)")
    file = FOLDER / re.sub(r"\W+", "-", f"{test}-{name}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".txt").write_text("\n".join(screen.display) + "\n", encoding="utf-8")
    drawn = svg([Frame(shown_on(screen), 0.0)], Size(screen.columns, screen.lines), title=test)
    file.with_suffix(".svg").write_text(drawn, encoding="utf-8")
