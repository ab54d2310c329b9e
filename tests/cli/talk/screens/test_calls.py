"""Tools at work, on a real screen with a real server: what they print as they do, and what has come of it."""

from pathlib import Path

from tests.cli.talk.screens.journey import calls, says, talking
from tests.cli.talk.screens.words import leaves

# Goes on when the test has seen what it has printed so far.
COMMAND = "for n in 1 2 3 4 5 6 7 8 9 10; do echo line $n; done; until [ -f go ]; do sleep .1; done; echo end"


async def test_what_a_command_prints_is_seen_while_it_runs_and_its_end_stays(tmp_path: Path) -> None:
    async with talking(tmp_path, CHATD_APPROVALS="never") as (server, person):
        says(person, calls("execute", command=COMMAND, timeout="5m"), "next", "say Well done.")
        await person.matches(
            r"● \$ for n in 1 2 .*…  \d+ s", "  … 2 lines before",
            *(f"  line {number}" for number in range(3, 11)), "…>",
        )  # fmt: skip
        # It counts by itself, and so does the line below the field.
        await person.matches(r"● \$ for n in .*…  ([2-9]|\d\d) s", "  … 2 lines before")
        await person.matches(r"\$ for n in 1 2 3 .*… ([2-9]|\d\d) s · scripted/scripted .*")
        person.keep_picture("running")
        (server.workspace / "go").touch()
        await person.matches(
            r"● \$ for n in 1 2 .*", r"    .*; done; echo end", "  … 3 lines before; Ctrl-O shows all",
            *(f"  line {number}" for number in range(4, 11)), "  end",
            r"  ✓ done \(.* s\)", "Well done.", ">",
        )  # fmt: skip
        person.type("\x0f")
        await person.shows("Well done.", *(f"line {number}" for number in range(1, 11)), "end", ">")
        await leaves(person)


async def test_calls_of_one_reply_stand_in_the_order_in_which_they_ended(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        slow, quick = calls("show", text="first", pieces=1, seconds=2), calls("echo", text="second")
        says(person, slow, quick, "next", "say Both are done.")
        await person.matches(
            r"● echo .*", r"  ✓ .*second.*", r"● show .*", "  first 1", r"  ✓ .*", "Both are done.", ">",
        )  # fmt: skip
        await leaves(person)


async def test_that_what_was_said_is_summed_up_is_said_when_it_happens(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        says(person, "say Hello.")
        await person.shows("Hello.", ">")
        person.type("/compact\r")
        await person.matches("● Sum up what was said", "  The scripted model is not an AI .*")
        await person.matches("  ✓ the model goes on with a summary of what was said.*", ">")
        await leaves(person)
