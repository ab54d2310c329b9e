"""A terminal whose cursor cannot be moved, such as one inside of an editor: lines, and nothing else."""

from pathlib import Path

import pytest

from chatd.domain.message import Role
from chatd.domain.part import Text
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store
from tests.cli.caller import typing
from tests.cli.talk.screens.words import ROWS, a_chat, speaking
from tests.support.served import served
from tests.words import says, step


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
async def test_a_terminal_that_knows_only_lines_gets_text_with_a_question_and_no_command(
    store: Store, tmp_path: Path, kind: str
) -> None:
    async with (
        served(store) as server,
        typing(tmp_path, server, "chat", columns=120, rows=ROWS, more={"TERM": kind}) as person,
    ):
        help_ = "/help lists what you can type. Ctrl-C stops the agent, Ctrl-D leaves."
        await person.matches(r"chatd .* at .*: a new chat with some/model", help_.replace(".", r"\."), ">")
        person.type("Name a planet.\n")
        chat_id = await server.until_busy()
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Mars"))
        # What was typed is there already, and is not shown once more.
        await person.shows("> Name a planet.", "Mars")
        await server.happens(chat_id, step(says("Mars is one.")), FinishTurn())
        await person.shows("> Name a planet.", "Mars is one.", ">")
        person.type("/queue\n")
        await person.shows("> /queue", "Nothing waits.", ">")
        person.type("\x04")
        assert await person.leaves() == 0
        await person.shows(f"To come back: chatd chat {chat_id}")
        assert not person.was_commanded


async def test_a_note_at_a_terminal_of_lines_does_not_stand_behind_the_question(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        await server.happens(chat_id, step(says("Mars.")), FinishTurn())
        more = {"TERM": "dumb"}
        async with typing(tmp_path, server, "chat", chat_id, columns=80, rows=ROWS, more=more) as person:
            await person.shows("> Name a planet.", "Mars.", ">")
            person.type("\x03")
            await person.shows("> ^C", "Press Ctrl-C again to leave.", ">")
            person.type("\x03")
            assert await person.leaves() == 0
            assert not person.was_commanded
