"""chatd answer: answers for scripts."""

from pathlib import Path

import pytest

from chatd.client import AsyncClient
from chatd.domain.approvals.asked import Asked, ProposedPlan
from chatd.domain.ids import ChatId
from chatd.domain.part import Json, ToolResult
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran as run
from tests.support.served import Served, served
from tests.words import call, question, questions, says, step


async def an_asking_chat(server: Served, asked: Asked | None) -> str:
    async with AsyncClient(server.address, server.token) as client:
        chat_id = (await client.create_chat("hello")).id
    reply = says("", call("ask", "ask_user_question"))
    await server.happens(chat_id, step(reply, plans=(question("ask", asked),)), RequireAction())
    return chat_id


async def result(store: Store, chat_id: str) -> Json:
    everything = await read_everything(store.db, ChatId(chat_id))
    assert everything is not None
    part = everything.messages[-1].content[0]
    return part.result if isinstance(part, ToolResult) else None


async def test_numbers_labels_and_words_answer_questions_in_their_order(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await an_asking_chat(server, questions("wall", "door", "roof"))

        ran = await run(tmp_path, server, "answer", chat_id, "2", "Red", "no roof")

        assert (ran.code, ran.output) == (0, "The chat is running.\n")
        told = await result(store, chat_id)
        assert [each["answer"] for each in told["answers"]] == ["Blue", "Red", "no roof"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["Red"], "There are 2 questions, and 1 answers"),
        ([], "There are 2 questions, and 0 answers"),
        (["Red", "Blue", "--skip"], "or --skip to give none"),
        (["Red", "Blue", "--call", "other"], "No call 'other'"),
    ],
)
async def test_what_does_not_answer_is_refused_with_what_is_asked(
    store: Store, tmp_path: Path, given: list[str], why: str
) -> None:
    async with served(store) as server:
        chat_id = await an_asking_chat(server, questions("wall", "door"))

        ran = await run(tmp_path, server, "answer", chat_id, *given)

        assert ran.code != 0
        assert why in ran.errors
        assert await result(store, chat_id) is None


async def test_questions_can_be_skipped(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await an_asking_chat(server, questions("wall", "door"))

        assert (await run(tmp_path, server, "answer", chat_id, "--skip")).code == 0
        assert (await result(store, chat_id))["answers"] is None


async def test_a_chat_that_asks_nothing_says_so(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await an_asking_chat(server, ProposedPlan(version=1, text="# Plan"))

        ran = await run(tmp_path, server, "answer", chat_id, "yes")

        assert "does not wait for an answer. It waits for a decision on a plan" in ran.errors
