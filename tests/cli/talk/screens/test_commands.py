"""Commands at a real terminal: what is not one of them is not sent to the model, and mistakes are told."""

from pathlib import Path

import pytest

from chatd.client import AsyncClient
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store
from tests.cli.caller import typing
from tests.cli.talk.screens.journey import talking
from tests.cli.talk.screens.words import ROWS, hearing, leaves
from tests.support.served import served
from tests.words import says, step


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/comapct", "There is no /comapct. Do you mean /compact.*"),
        ("/COMAPCT", "There is no /COMAPCT. Do you mean /compact.*"),
        ("/compact-now", "There is no /compact-now. Do you mean /compact.*"),
        ("/", r"There is no /\..*"),
    ],
)
async def test_a_command_that_does_not_exist_is_not_sent_to_the_model(
    store: Store, tmp_path: Path, typed: str, told: str
) -> None:
    async with served(store) as server:
        async with typing(tmp_path, server, "chat", rows=ROWS) as person:
            await person.shows(">")
            person.type(f"{typed}\r")
            await person.matches(told)
            await leaves(person)
        async with AsyncClient(server.address, server.token) as client:
            assert (await client.chats()).chats == ()


async def test_what_cannot_be_done_now_is_told_in_words_for_who_talks(store: Store, tmp_path: Path) -> None:
    async with hearing(store, tmp_path) as (server, chat_id, person):
        person.type("/compact\r")
        await person.shows("That is not possible now: the agent is at work. /stop stops it.")
        await server.happens(chat_id, step(says("Hello.")), FinishTurn())
        await person.shows("Hello.", ">")
        person.type("/retry\r")
        await person.shows("There is nothing to try again: the last turn has not failed.", ">")
        person.type("/interrupt\r")
        await person.shows("There is nothing to stop: the agent is not at work.", ">")
        await leaves(person)


async def test_commands_are_known_in_capitals_and_refuse_what_they_do_not_take(tmp_path: Path) -> None:
    async with talking(tmp_path, columns=60, rows=ROWS) as (_, person):
        person.type("/Help\r")
        # What does not fit goes on below its words.
        await person.shows(
            "/quit                   leave; the agent goes on (also /q,",
            "                        /exit)",
        )
        person.type("/new words\r")
        await person.shows("/new takes no words behind it, so nothing was done. Write it", "alone.")
        await leaves(person)


async def test_an_effort_that_has_no_effect_is_refused_at_once_and_not_with_each_message(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as (_, person):
        person.type("/effort low\r")
        await person.shows("scripted/scripted cannot be told how hard to think. /model chooses another one.")
        person.type("say Heard.\r")
        await person.shows("> say Heard.", "Heard.")
        await leaves(person)


async def test_who_chose_an_effort_for_a_model_without_one_can_take_it_back(tmp_path: Path) -> None:
    async with talking(tmp_path, "--effort", "low") as (_, person):
        person.type("say Heard.\r")
        await person.shows(
            "scripted/scripted cannot be told how hard to think. /effort default leaves it to",
            "the model. Not sent: say Heard.",
        )
        person.type("/effort default\r")
        await person.shows("From the next message on, how hard the model thinks is left to it.")
        person.type("say Heard.\r")
        await person.shows("> say Heard.", "Heard.")
        await leaves(person)


async def test_advice_in_a_talk_names_what_can_be_typed_there(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        person.type("/resume nowhere\r")
        await person.shows("There is no chat 'nowhere'. /ls lists yours.")
        await leaves(person)
