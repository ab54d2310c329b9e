"""Typing at a real terminal: several lines, a long paste, history, completion, an editor, stopping."""

from pathlib import Path

import pytest

from chatd.client import AsyncClient
from chatd.domain.message import Role
from chatd.domain.part import Text
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.storage.transactions.transact import Store
from tests.cli.caller import typing
from tests.cli.talk.screens.journey import BEGIN_PASTE, END_PASTE, talking
from tests.cli.talk.screens.words import ROWS, WIDTHS, a_chat, leaves, said_in, speaking
from tests.support.served import served
from tests.words import says

PASTED = "\n".join(f"line {number} 日本" for number in range(200))
UP = "\x1b[A"


@pytest.mark.parametrize("columns", WIDTHS)
async def test_two_hundred_lines_are_pasted_as_one_message(
    store: Store, tmp_path: Path, columns: int
) -> None:
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", columns=columns, rows=ROWS) as person:
            await person.shows(">")
            person.type(f"See {BEGIN_PASTE}{PASTED}{END_PASTE}")
            await person.shows("> See [pasted 1: 200 lines]")
            person.keep_picture("pasted")
            person.type(" there.\r")
            chat_id = await server.until_busy()
            await person.shows(
                "> See line 0 日本", *(f"> line {n} 日本" for n in range(1, 10)), "> … 190 more lines"
            )
            await leaves(person)
        assert await said_in(server, chat_id) == [f"See {PASTED} there."]


async def test_what_stands_for_a_paste_is_deleted_at_once(store: Store, tmp_path: Path) -> None:
    async with served(store) as server, typing(tmp_path, server, "chat", rows=ROWS) as person:
        await person.shows(">")
        person.type(f"See {BEGIN_PASTE}{PASTED}{END_PASTE}")
        await person.shows("> See [pasted 1: 200 lines]")
        person.type("\x7f")
        await person.shows("> See")
        person.type("this\r")
        chat_id = await server.until_busy()
        await leaves(person)
        assert await said_in(server, chat_id) == ["See this"]


@pytest.mark.parametrize("key", ["\x1b\r", "\n", "\\\r"], ids=["alt-enter", "ctrl-j", "backslash"])
async def test_a_key_begins_another_line(store: Store, tmp_path: Path, key: str) -> None:
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", rows=ROWS) as person:
            await person.shows(">")
            person.type(f"one{key}two\r")
            chat_id = await server.until_busy()
            await leaves(person)
        assert await said_in(server, chat_id) == ["one\ntwo"]


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
            await person.presses(UP, "> Name a planet.")
            person.type("\x03")
            await person.shows(">")
            await leaves(person)
    kept = tmp_path / ".local/state/chatd/chat-history"
    assert kept.stat().st_mode & 0o077 == 0


async def test_what_was_typed_before_is_looked_for_and_taken_or_left(store: Store, tmp_path: Path) -> None:
    async with served(store) as server, typing(tmp_path, server, "chat", rows=ROWS) as person:
        await person.shows(">")
        for words in ("Name a planet.", "Name a moon."):
            person.type(words)
            await person.shows(f"> {words}")
            person.type("\x03")
            await person.shows(">")
        person.type("\x12plan")
        await person.shows("> Name a planet.")
        await person.matches("I-search backward: plan.*")
        # Ctrl-C ends the search, and not the talk.
        person.type("\x03")
        await person.hides("I-search")
        person.type("\x12plan")
        await person.shows("> Name a planet.")
        await person.matches("I-search backward: plan.*")
        person.type("\r")
        await person.hides("I-search")
        person.type(" Now.")
        await person.matches("> Name a.* Now..*")
        person.type("\x03")
        await leaves(person)


async def test_ctrl_c_takes_what_is_typed_first_and_does_not_stop_the_agent(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.shows("> hello", "…>")
            person.type("half a thou")
            await person.shows("…> half a thou")
            person.type("\x03")
            await person.shows("> hello", "…>")
            await server.until_status(chat_id, "running")
            # It is not lost.
            await person.presses(UP, "…> half a thou")
            person.type("\x03\x03")
            await server.until_status(chat_id, "interrupting")
            await leaves(person)


async def test_escape_stops_the_agent_and_keeps_what_it_has_said(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.shows("> hello", "…>")
            episode = await speaking(server, chat_id)
            episode.add(Role.ASSISTANT, Text(text="Jupiter is"))
            await person.shows("> hello", "Jupiter is", "…>")
            person.type("\x1b")
            await server.until_status(chat_id, "interrupting")
            await server.happens(chat_id, FinishInterruption(partial=(says("Jupiter is"),)))
            await person.shows("> hello", "Jupiter is")
            await person.matches(".*", ">")
            await leaves(person)


async def test_what_waits_is_taken_back_and_changed(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.shows("> hello", "…>")
            person.type("And a mon?\r")
            await person.shows("Waits: And a mon?  (arrow up takes it back)", "…>")
            person.type(UP)
            await person.shows("> hello", "…> And a mon?")
            person.type("\x7f\x7fon?\r")
            await person.shows("Waits: And a moon?  (arrow up takes it back)", "…>")
            await leaves(person)
        async with AsyncClient(server.address, server.token) as client:
            assert [row.content[0].text for row in (await client.chat(chat_id)).queue] == ["And a moon?"]


async def test_who_types_as_in_vi_elsewhere_does_so_here(store: Store, tmp_path: Path) -> None:
    (tmp_path / ".inputrc").write_text("set editing-mode vi\n")
    async with served(store) as server, typing(tmp_path, server, "chat", rows=ROWS) as person:
        await person.shows(">")
        person.type("A planet and a moon\x1b")
        await person.presses("b", "> A planet and a moon")
        person.type("dwi")
        await person.shows("> A planet and a")
        person.type("\x03")
        await leaves(person)


async def test_an_editor_is_opened_for_what_is_typed(store: Store, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "%s, and a moon." "$(cat "$1")" > "$1"\n')
    editor.chmod(0o700)
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", rows=ROWS, more={"EDITOR": str(editor)}) as person:
            await person.shows(">")
            person.type("A planet\x07")
            await person.shows("> A planet, and a moon.")
            person.type("\r")
            chat_id = await server.until_busy()
            await leaves(person)
        assert await said_in(server, chat_id) == ["A planet, and a moon."]


async def test_commands_and_files_of_the_workspace_are_completed_also_before_the_first_message(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as (server, person):
        (server.workspace / "planets.py").touch()
        person.type("/comp")
        await person.matches("> /comp", r" */compact +have what was said .*")
        person.type("\x03Look at @plan")
        await person.matches("> Look at @plan", r" *@planets\.py *")
        person.keep_picture("offered")
        person.type("\t\r\r")
        await person.shows("> Look at @planets.py")
        await leaves(person)
