"""Talking in the terminal: a real process in a real pseudo-terminal, against a real server."""

import signal
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from chatd.client import AsyncClient
from chatd.domain.ids import CallId, ChatId
from chatd.domain.message import Role
from chatd.domain.part import Text, ToolResult
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import EpisodeKey
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store
from chatd.workspaces.places import Places
from tests.cli.caller import begun, begun_in_shell, ended, typing
from tests.cli.lossy import lossy
from tests.support.served import Served, served
from tests.words import allows, answers, asks_first, call, failure, question, questions, says, step


async def a_chat(server: Served, words: str = "hello") -> str:
    async with AsyncClient(server.address, server.token) as client:
        return (await client.create_chat(words)).id


async def test_a_new_chat_is_begun_and_answered(store: Store, tmp_path: Path) -> None:
    async with served(store) as server, typing(tmp_path, server, "chat") as person:
        await person.sees(">")
        person.type("Name a planet.\r")
        chat_id = await server.until_busy()
        await person.sees("> Name a planet.")
        done = await server.happens(chat_id, BeginAttempt())
        key = EpisodeKey(ChatId(chat_id), done.chat.versions.history, done.chat.versions.attempt)
        episode = server.live.board.open(key)
        episode.add(Role.ASSISTANT, Text(text="Mars"))
        await person.sees("Mars")
        await server.happens(chat_id, step(says("Mars. And Venus.")), FinishTurn())
        await person.sees("Mars. And Venus.")
        person.type("/quit\r")

        assert await person.leaves() == 0


async def speaking(server: Served, chat_id: str) -> Episode:
    """The agent has begun to speak."""
    done = await server.happens(chat_id, BeginAttempt())
    return server.live.board.open(
        EpisodeKey(ChatId(chat_id), done.chat.versions.history, done.chat.versions.attempt)
    )


async def test_words_appear_as_they_come_in_rows_that_fit_the_screen(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id, columns=20) as person:
            await person.sees("> hello")
            episode = await speaking(server, chat_id)
            episode.add(Role.ASSISTANT, Text(text="alpha beta gamma delta eps"))
            await person.sees("alpha beta gamma")
            await person.sees("delta eps")
            episode.add(Role.ASSISTANT, Text(text="ilon zeta 日本語日本語日本語日本語"))
            await person.sees("delta epsilon zeta")
            await person.sees("日本語日本語日本語日")
            await person.sees("本語")
            person.type("/quit\r")
            assert await person.leaves() == 0


async def test_what_is_typed_while_the_server_is_away_is_sent_when_it_is_back(
    store: Store, tmp_path: Path
) -> None:
    async with AsyncExitStack() as until_the_end:
        async with served(store) as server:
            chat_id = await a_chat(server)
            person = await until_the_end.enter_async_context(typing(tmp_path, server, "chat", chat_id))
            await server.happens(chat_id, step(says("Mars.")), FinishTurn())
            await person.sees("Mars.")
        person.type("And a moon?\r")
        kept = "Not sent yet (Ctrl-C gives up): And a moon?"
        await person.shows(
            "The server is away. What you type is kept, and sent when it is back.", kept, "(not sent)>"
        )
        person.type("A third.\r")
        await person.shows(kept, "Not sent yet (Ctrl-C gives up): A third.", "(not sent)>")
        async with served(store, port=port_of(server)) as server:
            await server.until_status(chat_id, "running")
            await person.sees("> And a moon?")
            await server.happens(chat_id, step(says("Io.")), FinishTurn())
            await person.sees("Io.")
            await person.sees("> A third.")
            person.type("/quit\r")
            assert await person.leaves() == 0
            assert await said(server, chat_id) == ["hello", "Mars.", "And a moon?", "Io.", "A third."]


async def test_what_cannot_be_sent_is_shown_again_when_it_is_given_up(store: Store, tmp_path: Path) -> None:
    async with AsyncExitStack() as until_the_end:
        async with served(store) as server:
            chat_id = await a_chat(server)
            person = await until_the_end.enter_async_context(typing(tmp_path, server, "chat", chat_id))
            await server.happens(chat_id, step(says("Mars.")), FinishTurn())
            await person.sees("Mars.")
        person.type("And a moon?\r")
        await person.shows("Not sent yet (Ctrl-C gives up): And a moon?", "(not sent)>")
        person.type("\x03")
        await person.shows("Not sent:", "And a moon?", ">")
        person.type("Another one.\r")
        await person.shows("Not sent yet (Ctrl-C gives up): Another one.", "(not sent)>")
        person.type("/quit\r")
        await person.shows("Not sent:", "Another one.")
        assert await person.leaves() == 0


async def test_a_message_whose_answer_was_lost_is_not_sent_twice(store: Store, tmp_path: Path) -> None:
    async with served(store) as server, lossy(server) as (network, there):
        async with typing(tmp_path, there, "chat") as person:
            await person.sees(">")
            network.losing = 1
            person.type("hello\r")
            await person.sees("The server is away")
            chat_id = await server.until_busy()
            await person.sees("> hello")
            await server.happens(chat_id, step(says("Mars.")), FinishTurn())
            await person.sees("Mars.")
            network.losing = 1
            person.type("And a moon?\r")
            await person.sees("(not sent)>")
            await person.sees("…>")
            person.type("Once more.\r")
            await person.sees("Waits: Once more.")
            person.type("/quit\r")
            assert await person.leaves() == 0
        assert await said(server, chat_id) == ["hello", "Mars.", "And a moon?"]
        async with AsyncClient(server.address, server.token) as client:
            assert [chat.id for chat in (await client.chats()).chats] == [chat_id]


async def said(server: Served, chat_id: str) -> list[str]:
    async with AsyncClient(server.address, server.token) as client:
        return [message.text async for message in client.history(chat_id)]


def port_of(server: Served) -> int:
    port = urlsplit(server.address).port
    assert port is not None
    return port


async def test_what_is_typed_meanwhile_waits_or_steers(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        async with typing(tmp_path, server, "chat", chat_id) as person:
            await person.sees("> Name a planet.")
            person.type("And a moon?\r")
            await person.sees("Waits: And a moon?")
            person.type("/steer Quickly!\r")
            await person.sees("Is heard next: Quickly!")
            await server.happens(chat_id, step(says("", call("c"))), step(answers("c")))
            await person.sees("> Quickly!")
            await server.happens(chat_id, step(says("Mars.")), FinishTurn())
            await person.sees("Mars.")
            await person.sees("> And a moon?")
            await person.sees("…>")
            person.type("\x04")

            assert await person.leaves() == 0


async def test_ctrl_c_stops_the_agent_and_twice_leaves(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        async with typing(tmp_path, server, "chat", chat_id) as person:
            await person.sees("…>")
            person.type("\x03")
            await person.sees("Stopping the agent.")
            await server.until_status(chat_id, "interrupting")
            await server.happens(chat_id, FinishInterruption(partial=(says("Ju"),)))
            await person.sees("Ju")
            person.type("\x03")
            person.type("\x03")

            assert await person.leaves() == 0


async def test_approvals_and_questions_are_answered(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        reply = says("", call("run", "execute", {"command": "ls"}), call("ask", "ask_user", "Which one?"))
        await server.happens(
            chat_id, step(reply, plans=(asks_first("run"), question("ask"))), RequireAction()
        )
        async with typing(tmp_path, server, "chat", chat_id) as person:
            await person.sees("May the agent run execute")
            await person.sees("y/n>")
            person.type("perhaps\r")
            await person.sees("That is no answer to this.")
            person.type("n Not here.\r")
            await person.sees("answer>")
            person.type("The blue one.\r")
            await server.until_status(chat_id, "running")
            person.type("/quit\r")
            assert await person.leaves() == 0

        everything = await read_everything(store.db, ChatId(chat_id))
    assert everything is not None
    results = {
        part.tool_call_id: part.result
        for message in everything.messages
        for part in message.content
        if isinstance(part, ToolResult)
    }
    assert results[CallId("run")].endswith("Not here.")
    assert results[CallId("ask")] == "The blue one."


async def test_a_line_that_was_begun_before_a_call_was_shown_does_not_allow_it(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id) as person:
            await person.sees("…>")
            person.type("y")
            await person.sees("y")
            reply = says("", call("run", "execute", {"command": "ls"}))
            await server.happens(chat_id, step(reply, plans=(asks_first("run"),)), RequireAction())
            await person.sees("y/n>")
            person.type("\r")
            await person.sees("while you typed")
            await server.until_status(chat_id, "requires_action")

            person.type("n\r")
            await server.until_status(chat_id, "running")
            person.type("/quit\r")
            assert await person.leaves() == 0


async def test_questions_with_options_are_answered_by_numbers_and_words(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        asked = question("ask", questions("wall", "door"))
        await server.happens(
            chat_id, step(says("", call("ask", "ask_user_question")), plans=(asked,)), RequireAction()
        )
        async with typing(tmp_path, server, "chat", chat_id) as person:
            await person.sees("The agent asks (1 of 2): wall")
            await person.sees("1-2 or words>")
            person.type("2\r")
            await person.sees("The agent asks (2 of 2): door")
            person.type("none\r")
            await server.until_status(chat_id, "running")
            person.type("/quit\r")
            assert await person.leaves() == 0

        everything = await read_everything(store.db, ChatId(chat_id))
    assert everything is not None
    part = everything.messages[-1].content[0]
    assert isinstance(part, ToolResult)
    assert [each["answer"] for each in part.result["answers"]] == ["Blue", "none"]


async def test_a_key_allows_such_calls_for_the_whole_chat(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        reply = says("", call("run", "execute", {"command": "ls"}))
        await server.happens(
            chat_id, step(reply, plans=(asks_first("run", allows(words="ls")),)), RequireAction()
        )
        async with typing(tmp_path, server, "chat", chat_id) as person:
            await person.sees("y/c/a/n>")
            person.type("c\r")
            await server.until_status(chat_id, "running")
            person.type("/quit\r")
            assert await person.leaves() == 0

        everything = await read_everything(store.db, ChatId(chat_id))
    assert everything is not None
    assert [kept.rule for kept in everything.rules] == [allows(words="ls")]


async def test_a_failed_turn_is_told_and_tried_again(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        await server.happens(chat_id, FailTurn(failure=failure()))
        async with typing(tmp_path, server, "chat", chat_id) as person:
            await person.sees("The agent failed: The model is gone.")
            person.type("/retry\r")
            await server.until_status(chat_id, "running")
            person.type("/retry\r")
            await person.sees("nothing waits to be tried again")
            person.type("/quit\r")
            assert await person.leaves() == 0


async def test_the_model_is_changed_on_the_way_and_a_slip_is_not_said(store: Store, tmp_path: Path) -> None:
    async with served(store) as server, typing(tmp_path, server, "chat") as person:
        await person.sees(">")
        person.type("/engine other/model\r")
        await person.sees("There is no /engine.")
        person.type("/model other/none\r")
        await person.sees("There is no model 'other/none'.")
        person.type("/model other/model\r")
        await person.sees("other/model is used from the next message on.")
        person.type("//etc is full\r")
        chat_id = await server.until_busy()
        await person.sees("> /etc is full")
        person.type("/quit\r")
        await person.shows("The agent goes on without you.", f"To come back: chatd chat {chat_id}")
        assert await person.leaves() == 0

        async with AsyncClient(server.address, server.token) as client:
            assert (await client.chat(chat_id)).last_model == "other/model"


async def test_a_model_that_is_not_there_is_told_before_a_user_types(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        run = await ended(await begun(tmp_path, server, "chat", "--model", "other/none", given="hello\n"))

    assert (run.code, run.errors.startswith("chatd: There is no model 'other/none'.")) == (1, True)


async def test_in_a_pipe_every_line_is_said_and_answered(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "chat", given="Name a planet.\n")
        chat_id = await server.until_busy()
        await server.happens(chat_id, step(says("Mars.")), FinishTurn())

        run = await ended(process)

    assert (run.code, run.output, run.errors) == (0, "> Name a planet.\nMars.\n", "")


@pytest.mark.parametrize("closed", ["</dev/null", "<&-", "<&- 2>&-"])
async def test_where_no_user_can_type_nothing_is_said(store: Store, tmp_path: Path, closed: str) -> None:
    async with served(store) as server:
        run = await ended(await begun_in_shell(tmp_path, server, f"chat {closed}"))

    assert (run.code, run.output, run.errors) == (0, "", "")


async def test_in_a_pipe_a_signal_stops_the_agent(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        process = await begun(tmp_path, server, "chat", chat_id, given=None)
        assert process.stdout is not None
        assert await process.stdout.readline() == b"> hello\n"
        process.send_signal(signal.SIGINT)
        await server.until_status(chat_id, "interrupting")
        await server.happens(chat_id, FinishInterruption())
        assert process.stdin is not None
        process.stdin.close()

        run = await ended(process)

    assert run.code == 0
    assert "Stopping the agent." in run.output


async def test_a_chat_that_is_not_there_is_told_before_a_user_types(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        run = await ended(await begun(tmp_path, server, "chat", "nothing"))

    assert (run.code, run.output) == (1, "")
    assert run.errors.startswith("chatd: There is no chat 'nothing'.")


async def test_a_workspace_that_the_server_does_not_have_is_told_before_a_user_types(
    store: Store, tmp_path: Path
) -> None:
    async with served(store, places=Places(tmp_path)) as server:
        run = await ended(await begun(tmp_path, server, "chat", "--workspace", "/etc"))

    assert (run.code, run.output) == (1, "")
    assert run.errors.startswith("chatd: '/etc' is no directory inside of the workspace of this server.")


async def test_where_the_agent_works_is_said_at_the_start(store: Store, tmp_path: Path) -> None:
    async with (
        served(store, places=Places(tmp_path)) as server,
        # Wide enough for any path, so that no word is broken.
        typing(tmp_path, server, "chat", columns=400) as person,
    ):
        await person.sees("The agent works in")
        await person.sees("No command runs.")
        person.type("/quit\r")

        assert await person.leaves() == 0
