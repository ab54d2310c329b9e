"""What a person sees: a real program in a real pseudo-terminal, and the screen that it draws."""

from pathlib import Path

import pytest

from chatd.client import AsyncClient
from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Text
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import EpisodeKey
from chatd.storage.transactions.transact import Store
from tests.cli.caller import Typing, typing
from tests.support.served import Served, served
from tests.words import answers, asks_first, call, says, step

# Roomy, so that nothing scrolls away.
ROWS = 40

SAID = """# Moons
Mars has **two small moons**, and `Io` belongs to 木星木星木星.

- Phobos, which is the larger one of them
- Deimos

| Moon | Of |
|---|---|
| Io | Jupiter |

```python
def orbit(moon):
    return moon
```
"""

# What is on the screen at each width. Behind a wide character the emulator shows nothing.
AT_WIDTHS = {
    30: [
        "Moons",
        "Mars has two small moons, and",
        "Io belongs to 木星木星木星.",
        "",
        "• Phobos, which is the larger",
        "  one of them",
        "• Deimos",
        "",
        "Moon │ Of",
        "─────┼────────",
        "Io   │ Jupiter",
        "",
        "python",
        "def orbit(moon):",
        "    return moon",
    ],
    100: [
        "Moons",
        "Mars has two small moons, and Io belongs to 木星木星木星.",
        "",
        "• Phobos, which is the larger one of them",
        "• Deimos",
        "",
        "Moon │ Of",
        "─────┼────────",
        "Io   │ Jupiter",
        "",
        "python",
        "def orbit(moon):",
        "    return moon",
    ],
}


async def a_chat(server: Served, words: str = "hello") -> str:
    async with AsyncClient(server.address, server.token) as client:
        return (await client.create_chat(words)).id


async def speaking(server: Served, chat_id: str) -> Episode:
    done = await server.happens(chat_id, BeginAttempt())
    return server.live.board.open(
        EpisodeKey(ChatId(chat_id), done.chat.versions.history, done.chat.versions.attempt)
    )


async def leaves(person: Typing) -> None:
    person.type("/quit\r")
    assert await person.leaves() == 0


@pytest.mark.parametrize("columns", AT_WIDTHS)
async def test_markdown_is_drawn_at_any_width_live_and_saved(
    store: Store, tmp_path: Path, columns: int
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, columns=columns, rows=ROWS) as person:
            await person.sees("> hello")
            episode = await speaking(server, chat_id)
            for at in range(0, len(SAID), 7):
                episode.add(Role.ASSISTANT, Text(text=SAID[at : at + 7]))
            await person.shows(*AT_WIDTHS[columns])
            await server.happens(chat_id, step(says(SAID)), FinishTurn())
            # What was shown live is not shown again.
            await person.shows(*AT_WIDTHS[columns], ">")
            await leaves(person)


async def test_a_screen_that_changes_its_width_in_the_middle_of_a_word_goes_on_at_the_new_one(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, columns=60, rows=ROWS) as person:
            await person.sees("> hello")
            episode = await speaking(server, chat_id)
            episode.add(Role.ASSISTANT, Text(text="one two three four fi"))
            await person.shows("one two three four fi", "…>")
            person.resize(20)
            episode.add(Role.ASSISTANT, Text(text="ve six seven eight nine"))
            await person.shows("one two three four", "five six seven eight", "nine")
            await leaves(person)


async def test_two_hundred_lines_are_pasted_as_one_message(store: Store, tmp_path: Path) -> None:
    pasted = "\n".join(f"line {number}" for number in range(200))
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", rows=ROWS) as person:
            await person.shows(">")
            person.type(f"\x1b[200~{pasted}\x1b[201~")
            await person.sees("line 199")
            person.type("\r")
            chat_id = await server.until_busy()
            await leaves(person)
        async with AsyncClient(server.address, server.token) as client:
            messages = [message.text async for message in client.history(chat_id)]

    assert messages == [pasted]


@pytest.mark.parametrize("key", ["\x1b\r", "\n", "\\\r"], ids=["alt-enter", "ctrl-j", "backslash"])
async def test_a_key_begins_another_line(store: Store, tmp_path: Path, key: str) -> None:
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", rows=ROWS) as person:
            await person.shows(">")
            person.type(f"one{key}two\r")
            chat_id = await server.until_busy()
            await leaves(person)
        async with AsyncClient(server.address, server.token) as client:
            assert [message.text async for message in client.history(chat_id)] == ["one\ntwo"]


async def test_what_was_typed_in_an_earlier_run_comes_back_with_the_arrow_key(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", rows=ROWS) as person:
            await person.shows(">")
            person.type("Name a planet.\r")
            await server.until_busy()
            await leaves(person)
        async with typing(tmp_path, server, "chat", rows=ROWS) as person:
            await person.shows(">")
            await person.presses("\x1b[A", "> Name a planet.")
            person.type("\x03\x03")
            await person.leaves()
    kept = tmp_path / ".local/state/chatd/chat-history"
    assert kept.stat().st_mode & 0o077 == 0


async def test_thoughts_are_folded_and_a_key_shows_them(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.sees("> hello")
            episode = await speaking(server, chat_id)
            episode.add(Role.ASSISTANT, Reasoning(text="I wonder which one."))
            await person.shows("I wonder which one.", "…>")
            episode.add(Role.ASSISTANT, Text(text="Mars."))
            await person.shows("✻ Thought for 1 s. Ctrl-T shows it.", "Mars.")
            person.type("\x14")
            await person.shows("Thoughts are shown. Ctrl-T folds them.", "I wonder which one.")
            await leaves(person)


async def test_calls_are_told_in_words_with_what_came_of_them(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.sees("> hello")
            asked = says("", call("c", "execute", {"command": "make test"}))
            await server.happens(chat_id, step(asked), step(answers("c")), step(says("Done.")), FinishTurn())
            await person.shows("⏺ $ make test", "  ✓ done", "Done.", ">")
            await leaves(person)


async def test_a_single_key_allows_a_call(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        asked = says("", call("run", "execute", {"command": "ls"}))
        await server.happens(chat_id, step(asked, plans=(asks_first("run"),)), RequireAction())
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.shows("  y  allow it this time")
            # The key counts when the question has been seen for a moment.
            await person.sees("One key answers.")
            person.type("y")
            await server.until_status(chat_id, "running")
            await leaves(person)


async def test_the_line_of_status_tells_the_model_and_what_the_agent_does(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.sees("thinking")
            await person.sees("Name a planet.")
            await server.happens(chat_id, step(says("Mars.")), FinishTurn())
            await person.shows("Mars.", ">")
            assert not any("thinking" in line for line in person.lines())
            await leaves(person)


async def test_a_command_that_does_not_exist_is_not_sent_to_the_model(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", rows=ROWS) as person:
            await person.shows(">")
            person.type("/comapct\r")
            await person.sees("There is no /comapct. Do you mean /compact")
            await leaves(person)
        async with AsyncClient(server.address, server.token) as client:
            assert (await client.chats()).chats == ()


async def test_another_chat_is_gone_to_and_a_new_one_begun(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "The first chat.")
        await server.happens(chat_id, step(says("Mars.")), FinishTurn())
        async with typing(tmp_path, server, "chat", "--continue", rows=ROWS) as person:
            await person.shows("Mars.", ">")
            person.type("/new\r")
            await person.sees("A new chat")
            person.type("The second chat.\r")
            await person.sees("> The second chat.")
            person.type(f"/resume {chat_id[:13]}\r")
            await person.sees("Here is “The first chat.”.")
            await person.shows("> The first chat.", "Mars.", ">")
            await leaves(person)


async def test_the_last_message_is_changed_and_run_again(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        await server.happens(chat_id, step(says("Mars.")), FinishTurn())
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.shows("Mars.", ">")
            person.type("/edit\r")
            await person.shows("edit> Name a planet.")
            person.type("\x15Name a moon.\r")
            await server.until_status(chat_id, "running")
            await person.sees("Another branch of the chat")
            await person.shows("> Name a moon.")
            await leaves(person)
