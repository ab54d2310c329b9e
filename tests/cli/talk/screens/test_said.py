"""What is said, on a real screen: Markdown at any width, wide characters, resizes, what is said anew."""

import asyncio
from pathlib import Path

import pytest

from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Text
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.storage.transactions.transact import Store
from tests.cli.caller import typing
from tests.cli.lossy import lossy
from tests.cli.talk.screens.words import ROWS, WIDTHS, a_chat, hearing, leaves, speaking
from tests.support.served import served
from tests.words import retry, says, step

SAID = """# Moons
Mars has **two small moons**, and `Io` belongs to 木星木星木星; Cafe\u0301 is no moon, nor is 🚀.

- Phobos, which is the larger one of them, and the nearer one
- [Deimos](https://example.org/deimos)

| Moon | Of | What is known of it |
|---|---|---|
| Io | 木星 | It has more volcanoes than any other |

```python
def orbit(moon):
    return moon
```

```diff
-old
+new
```
"""

# What is on the screen at each width. Behind a wide character the emulator shows nothing.
CODE = ["", "python", "def orbit(moon):", "    return moon", "", "diff", "-old", "+new"]
AT_WIDTHS = {
    40: [
        "Moons",
        "Mars has two small moons, and Io belongs",
        "to 木星木星木星; Café is no moon, nor is",
        "🚀.",
        "",
        "• Phobos, which is the larger one of",
        "  them, and the nearer one",
        "• Deimos (https://example.org/deimos)",
        "",
        "Moon │ Of   │ What is known of it",
        "─────┼──────┼───────────────────────────",
        "Io   │ 木星 │ It has more volcanoes than",
        "     │      │ any other",
    ],
    80: [
        "Moons",
        "Mars has two small moons, and Io belongs to 木星木星木星; Café is no moon, nor",
        "is 🚀.",
        "",
        "• Phobos, which is the larger one of them, and the nearer one",
        "• Deimos (https://example.org/deimos)",
        "",
        "Moon │ Of   │ What is known of it",
        "─────┼──────┼─────────────────────────────────────",
        "Io   │ 木星 │ It has more volcanoes than any other",
    ],
    120: [
        "Moons",
        "Mars has two small moons, and Io belongs to 木星木星木星; Café is no moon, nor is 🚀.",
        "",
        "• Phobos, which is the larger one of them, and the nearer one",
        "• Deimos (https://example.org/deimos)",
        "",
        "Moon │ Of   │ What is known of it",
        "─────┼──────┼─────────────────────────────────────",
        "Io   │ 木星 │ It has more volcanoes than any other",
    ],
}


MARS = "Mars is the nearest one but for Venus."


@pytest.mark.parametrize("columns", WIDTHS)
async def test_markdown_is_drawn_at_any_width_live_and_saved(
    store: Store, tmp_path: Path, columns: int
) -> None:
    async with hearing(store, tmp_path, columns=columns) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        for at in range(0, len(SAID), 7):
            episode.add(Role.ASSISTANT, Text(text=SAID[at : at + 7]))
        await person.shows(*AT_WIDTHS[columns], *CODE)
        await server.happens(chat_id, step(says(SAID)), FinishTurn())
        # What was shown live is not shown again.
        await person.shows("> hello", *AT_WIDTHS[columns], *CODE, ">")
        assert person.looks("two small moons") == "default bold"
        assert (person.looks("-old"), person.looks("+new")) == ("red", "green")
        assert person.looks("return") == "magenta"
        await leaves(person)


async def test_a_screen_that_changes_its_width_in_the_middle_of_a_word_goes_on_at_the_new_one(
    store: Store, tmp_path: Path
) -> None:
    async with hearing(store, tmp_path, columns=60) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="one two three four fi"))
        await person.shows("one two three four fi", "…>")
        person.resize(20)
        episode.add(Role.ASSISTANT, Text(text="ve six seven eight nine"))
        await person.shows("one two three four", "five six seven eight", "nine")
        await leaves(person)


async def test_a_full_screen_is_painted_anew_at_its_new_width_and_no_word_is_lost(
    store: Store, tmp_path: Path
) -> None:
    words = [f"word{number:02}" for number in range(100)]
    async with hearing(store, tmp_path, columns=80, rows=12) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text=" ".join(words)))
        await person.shows("word99", "…>")
        # Five words on a row of 40 cells, and eight of 60.
        for columns, count in ((40, 5), (60, 8)):
            person.resize(columns)
            rows = [" ".join(words[at : at + count]) for at in range(0, 100, count)]
            await person.shows(*rows[-9:], "…>")
        episode.add(Role.ASSISTANT, Text(text=" the end"))
        await person.matches(".*word99 the end", "…>")
        await server.happens(chat_id, step(says(f"{' '.join(words)} the end")), FinishTurn())
        await person.matches(".*word99 the end", ">")
        await leaves(person)


async def test_a_short_chat_is_drawn_anew_below_what_stands_above_it(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet that is not too far away from here.")
        await server.happens(chat_id, step(says(MARS)), FinishTurn())
        async with typing(tmp_path, server, "chat", chat_id, columns=80, rows=ROWS) as person:
            wide = ["> Name a planet that is not too far away from here.", MARS]
            await person.shows("", *wide, ">")
            person.resize(40)
            await person.shows(
                "> Name a planet that is not too far away", "  from here.",
                MARS, ">",
            )  # fmt: skip
            person.resize(80)
            await person.shows("", *wide, ">")
            assert sum("Mars" in line for line in person.lines()) == 1
            await leaves(person)


async def test_what_was_half_said_goes_from_the_screen_when_it_is_said_anew(
    store: Store, tmp_path: Path
) -> None:
    async with hearing(store, tmp_path, columns=40) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Jupiter is the largest of all of them, and has"))
        await person.shows("> hello", "Jupiter is the largest of all of them,", "and has")
        await server.happens(chat_id, RecordRetry(retry=retry()))
        await person.shows("and has", "Attempt 1 failed: busy")
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Saturn has rings."))
        await person.shows("> hello", "Attempt 1 failed: busy", "Saturn has rings.", "…>")
        await person.hides("Jupiter")
        await leaves(person)


async def test_what_was_half_said_goes_also_while_the_terminal_has_not_said_where_the_field_is(
    store: Store, tmp_path: Path
) -> None:
    async with hearing(store, tmp_path, columns=40) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Jupiter is the largest of all of them, and has"))
        await person.shows("Jupiter is the largest of all of them,", "and has", "…>")
        person.answers_late = True
        person.type("/queue\r")
        await person.shows("Nothing waits.", "and has", "…>")
        await server.happens(chat_id, RecordRetry(retry=retry()))
        await person.shows("Nothing waits.", "and has", "Attempt 1 failed: busy")
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Saturn has rings."))
        await person.shows("> hello", "Nothing waits.", "Attempt 1 failed: busy", "Saturn has rings.", "…>")
        person.answers_late = False
        person.answer()
        await leaves(person)


async def test_what_was_half_said_goes_also_while_a_command_waits_for_its_answer(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server, lossy(server) as (network, there):
        chat_id = await a_chat(server)
        async with typing(tmp_path, there, "chat", chat_id, columns=40, rows=ROWS) as person:
            await person.shows("> hello", "…>")
            episode = await speaking(server, chat_id)
            episode.add(Role.ASSISTANT, Text(text="Jupiter is the largest of all of them, and has"))
            await person.shows("Jupiter is the largest of all of them,", "and has", "…>")
            await server.happens(chat_id, RecordRetry(retry=retry()))
            await person.shows("and has", "Attempt 1 failed: busy")
            network.holds = answered = asyncio.Event()
            person.type("/retry\r")
            await person.hides("…>")
            await person.shows("> hello", "Attempt 1 failed: busy")
            episode = await speaking(server, chat_id)
            episode.add(Role.ASSISTANT, Text(text="Saturn has rings.\nIt is"))
            await person.shows("> hello", "Attempt 1 failed: busy", "Saturn has rings.")
            answered.set()
            await person.shows("> hello", "Attempt 1 failed: busy", "Saturn has rings.", "It is", "…>")
            await leaves(person)


async def test_the_answer_to_a_command_does_not_break_the_sentence_that_is_being_said(
    store: Store, tmp_path: Path
) -> None:
    async with hearing(store, tmp_path, columns=40) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Jupiter is the largest of all of them, and ha"))
        await person.shows("Jupiter is the largest of all of them,", "and ha", "…>")
        person.type("/queue\r")
        await person.shows("Jupiter is the largest of all of them,", "Nothing waits.", "and ha", "…>")
        episode.add(Role.ASSISTANT, Text(text="s many moons."))
        await person.shows("Nothing waits.", "and has many moons.", "…>")
        person.resize(80)
        await person.shows("Nothing waits.", "Jupiter is the largest of all of them, and has many moons.")
        await leaves(person)


async def test_who_leaves_in_mid_sentence_keeps_what_was_said_of_it(store: Store, tmp_path: Path) -> None:
    async with hearing(store, tmp_path, columns=80) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="| Moon |\n|---|\n| Io |\n\nJupiter is the largest of"))
        await person.shows("Jupiter is the largest of", "…>")
        await leaves(person)
        left = ["Jupiter is the largest of", "The agent goes on without you."]
        await person.shows("> hello", "Moon", "────", "Io", "", *left, f"To come back: chatd chat {chat_id}")


async def test_who_goes_to_another_chat_leaves_thoughts_of_this_one_behind(
    store: Store, tmp_path: Path
) -> None:
    async with hearing(store, tmp_path) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Reasoning(text="I wonder"))
        await person.shows("I wonder", "…>")
        person.type("/new\r")
        began = r"A new chat: it begins with your next message\."
        await person.matches("> hello", r"✻ Thought for .*", began, ">")
        await leaves(person)


async def test_thoughts_that_go_on_are_shown_from_the_key_on(store: Store, tmp_path: Path) -> None:
    async with hearing(store, tmp_path) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Reasoning(text="I wonder"))
        await person.shows("I wonder", "…>")
        person.type("/queue\r")
        await person.shows("Nothing waits.", "I wonder", "…>")
        person.type("\x14")
        await person.matches(r"✻ Thought for .*", r"Thoughts are shown\. .*", "I wonder", "…>")
        episode.add(Role.ASSISTANT, Reasoning(text=" which one."))
        await person.shows("I wonder", "which one.", "…>")
        person.type("\x14")
        await person.shows("which one.", "Thoughts are folded.", "…>")
        episode.add(Role.ASSISTANT, Reasoning(text=" That one."))
        episode.add(Role.ASSISTANT, Text(text="Mars."))
        await person.matches(r"Thoughts are folded\.", r"✻ Thought for .*", r"Mars\.", "…>")
        await leaves(person)


async def test_thoughts_are_folded_and_a_key_shows_them(store: Store, tmp_path: Path) -> None:
    async with hearing(store, tmp_path) as (server, chat_id, person):
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Reasoning(text="I wonder which one."))
        await person.shows("I wonder which one.", "…>")
        episode.add(Role.ASSISTANT, Text(text="Mars."))
        await person.matches(r"✻ Thought for \d+ s\. Ctrl-T shows it\.", r"Mars\.")
        person.type("\x14")
        await person.shows("Thoughts are shown. Ctrl-T folds them.", "I wonder which one.")
        await leaves(person)
