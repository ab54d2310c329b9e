"""Approvals on a real screen with a real server: the change in view, one key, and the file afterwards."""

import re
from pathlib import Path

import pytest

from tests.cli.talk.screens.journey import calls, says, talking
from tests.cli.talk.screens.words import DONE, ROWS, WIDTHS, answers, leaves

BEFORE = "def add(a, b):\n    return a - b\n"
EDIT = {"path": "calc.py", "edits": [{"old_text": "a - b", "new_text": "a + b"}]}
DIFF = [
    "--- a/calc.py",
    "+++ b/calc.py",
    "@@ -1,2 +1,2 @@",
    " def add(a, b):",
    "-    return a - b",
    "+    return a + b",
]
ONCE = "  y  allow it this time"
CHOICES_AT = {
    40: [ONCE, "  c  allow such calls in this chat:", "     allow calls of `edit_files` for any"],
    80: [ONCE, "  c  allow such calls in this chat: allow calls of `edit_files` for any file of"],
    120: [ONCE, "  c  allow such calls in this chat: allow calls of `edit_files` for any file .*"],
}


@pytest.mark.parametrize("columns", WIDTHS)
async def test_a_change_is_shown_and_a_key_allows_it(tmp_path: Path, columns: int) -> None:
    async with talking(tmp_path, columns=columns, rows=ROWS + 20) as (server, person):
        file = server.workspace / "calc.py"
        file.write_text(BEFORE)
        says(person, "say It is wrong.", calls("edit_files", files=[EDIT]), "next", "say It adds now.")
        await person.shows("It is wrong.", "May the agent run edit_files?", *DIFF, "  It writes calc.py")
        await person.matches(*CHOICES_AT[columns])
        assert (person.looks("-    return"), person.looks("+    return")) == ("red", "green")
        await answers(person, "y")
        # Of the answers nothing is left, and the change is not shown again.
        shown = (*DIFF, "  It writes calc.py", "  Allowed this time.", "● Edit calc.py")
        await person.matches(*map(re.escape, shown), DONE, r"It adds now\.", ">")
        await leaves(person)
        assert file.read_text() == BEFORE.replace("-", "+")


async def test_a_command_is_shown_with_its_programs_and_denied_with_a_reason(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        says(person, calls("execute", command="rm -rf build; make > log.txt"), "next", "say All right.")
        await person.shows(
            "May the agent run execute?",
            "  $ rm -rf build; make > log.txt",
            "  It runs 2 programs: rm -rf build; make",
            "  It writes log.txt",
        )
        await answers(person, "n")
        person.type("Not the build.\r")
        await person.matches("  Denied.", r"● \$ rm -rf build; make > log\.txt", r"  ✗ .*")
        await person.shows("All right.", ">")
        assert any("Not the build." in line for line in person.lines())
        await leaves(person)


async def test_a_key_for_the_chat_allows_the_next_such_call_as_well(tmp_path: Path) -> None:
    async with talking(tmp_path) as (server, person):
        first, second = (calls("write_file", path=f"{name}.txt", content=name) for name in "ab")
        says(person, first, "next", second, "next", "say Both.")
        await answers(person, "c")
        await person.matches(r"  Allowed in this chat\.", r"● Write a\.txt", DONE)
        await person.shows("Both.", ">")
        await leaves(person)
        assert [(server.workspace / f"{name}.txt").read_text() for name in "ab"] == ["a", "b"]
