"""Plans and questions on a real screen with a real server, decided by a key."""

from pathlib import Path

import pytest

from tests.cli.talk.screens.journey import calls, says, talking
from tests.cli.talk.screens.words import WIDTHS, answers, leaves

PLAN = "# Settings\n\n1. Read **all** of the flags that there are today\n2. Write `settings.toml`\n"
PROPOSED = "The agent proposes a plan (version 1):"
WALL = {
    "header": "Wall",
    "question": "Which colour?",
    "options": [{"label": "Red", "description": "Warm."}, {"label": "Blue", "description": "Cold."}],
}
DOOR = WALL | {"header": "Door", "question": "And the door?"}

WIDE = ["Settings", "", "1. Read all of the flags that there are today", "2. Write settings.toml"]
NARROW = ["Settings", "", "1. Read all of the flags that there are", "   today", "2. Write settings.toml"]
ACCEPT, DECLINE = "  y  accept it: the agent carries it out", "  n  decline it, and stop"
CHANGE = "  c  have it changed; write behind it what is to be different"
CHANGE_NARROW = ["  c  have it changed; write behind it", "     what is to be different"]


@pytest.mark.parametrize("columns", WIDTHS)
async def test_a_plan_is_drawn_and_a_key_accepts_it(tmp_path: Path, columns: int) -> None:
    drawn, change = (NARROW, CHANGE_NARROW) if columns == WIDTHS[0] else (WIDE, [CHANGE])
    async with talking(tmp_path, "--plan", columns=columns) as (_, person):
        says(person, calls("propose_plan", plan=PLAN), "next", "say Carried out.")
        await person.shows(PROPOSED, *drawn, ACCEPT, *change, DECLINE, "y/c/n>")
        await answers(person, "y")
        await person.shows(PROPOSED, *drawn, "● Propose a plan", "  ✓ accepted", "Carried out.", ">")
        # Plan mode is over.
        assert " plan " not in person.lines()[-1]
        await leaves(person)


async def test_a_plan_is_sent_back_with_what_is_to_be_different(tmp_path: Path) -> None:
    async with talking(tmp_path, "--plan") as (_, person):
        says(person, calls("propose_plan", plan=PLAN), "next", "say Well.")
        await answers(person, "c")
        await person.shows("y/c/n> c")
        person.type("Keep the flags.\r")
        await person.shows("● Propose a plan", "  ✓ to be changed: Keep the flags.", "Well.", ">")
        await leaves(person)


async def test_questions_are_answered_with_digits_and_words(tmp_path: Path) -> None:
    options = ["  1  Red", "     Warm.", "  2  Blue", "     Cold."]
    async with talking(tmp_path) as (_, person):
        says(person, calls("ask_user_question", questions=[WALL, DOOR]), "next", "say Thanks.")
        await person.shows("The agent asks (1 of 2): Wall", "  Which colour?", *options)
        await answers(person, "2")
        await person.shows("  Blue", "The agent asks (2 of 2): Door", "  And the door?", *options)
        person.type("none at all\r")
        given = ["  ✓ Which colour? Blue", "    And the door? none at all"]
        await person.shows("● Ask you", *given, "Thanks.", ">")
        await leaves(person)
