"""The commands that talk to a server, as processes against a real one."""

import asyncio
import json
import signal
from asyncio.subprocess import Process
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from chatd.cli.talk.send import NOTHING_SAID
from chatd.cli.talk.showing.transcript import CUT_OFF
from chatd.client import AsyncClient
from chatd.domain.chat import Failure, Reason
from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Text
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import EpisodeKey
from chatd.storage.reads.read import read_setup
from chatd.storage.transactions.transact import Store, create_chat
from chatd.worker.search_index import index_all
from tests.cli.caller import PATIENCE_SECONDS, begun, ended, ran, typing
from tests.cli.program import chatd, complaint, serving
from tests.clock import HurriedClock
from tests.support.served import Served, served
from tests.words import call, create, failure, question, retry, says, step, user


async def a_chat(server: Served, words: str = "hello", **fields: Any) -> str:
    async with AsyncClient(server.address, server.token) as client:
        return (await client.create_chat(words, **fields)).id


def told_last(output: str) -> Any:
    """The last line of what `--json` prints: how the turn ended."""
    return json.loads(output.splitlines()[-1])


FINISHED = (step(says("Mars.")), FinishTurn())
FAILED = (FailTurn(failure=failure()),)
STOPPED = (Interrupt(), FinishInterruption())
ASKED = (step(says("Hm.", call("ask")), plans=(question("ask"),)), RequireAction())


async def test_a_temporary_chat_is_not_listed(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "--temporary", "Name a planet.", "--json")
        chat_id = await server.until_busy()
        await server.happens(chat_id, *FINISHED)
        run = await ended(process)
        listed = await ran(tmp_path, server, "ls", "--json")
        wrong = await ran(tmp_path, server, "send", "--temporary", chat_id, "And a moon?")

    assert told_last(run.output)["chat"]["temporary"] is True
    assert chat_id not in listed.output
    assert (wrong.code, "Only a new chat can be temporary" in wrong.errors) == (2, True)


async def test_instructions_are_sent_along_and_cleared(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        process = await begun(
            tmp_path, server, "send", "--new", "Name a planet.", "--instructions", "Be brief."
        )
        chat_id = ChatId(await server.until_busy())
        kept = (await read_setup(store.db, chat_id)).instructions
        await server.happens(chat_id, *FINISHED)
        await ended(process)
        process = await begun(tmp_path, server, "send", chat_id, "And a moon?", "--instructions", "")
        await server.until_busy()
        cleared = (await read_setup(store.db, chat_id)).instructions
        await server.happens(chat_id, *FINISHED)
        run = await ended(process)

    assert (run.code, kept, cleared) == (0, "Be brief.", "")


@pytest.mark.parametrize(
    ("ending", "code", "word"),
    [(FINISHED, 0, "finished"), (FAILED, 3, "failed"), (ASKED, 4, "waiting"), (STOPPED, 5, "interrupted")],
)
async def test_how_a_turn_ended_is_the_exit_code(
    store: Store, tmp_path: Path, ending: Any, code: int, word: str
) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "Name a planet.", "--json")
        chat_id = await server.until_busy()
        await server.happens(chat_id, *ending)

        run = await ended(process)

    told = told_last(run.output)
    assert (run.code, told["ended"], told["chat_id"]) == (code, word, chat_id)


async def test_the_answer_is_printed(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", given="Name a planet,\nany planet.")
        chat_id = await server.until_busy()
        await server.happens(chat_id, step(says("Let me see.")), *FINISHED)

        run = await ended(process)
        show = await ran(tmp_path, server, "export", chat_id, "--format", "markdown")

    assert (run.code, run.output) == (0, "Let me see.\n\nMars.\n")
    assert run.errors == f"chat {chat_id}\n"
    assert "Name a planet,\nany planet." in show.output


async def test_an_answer_that_is_not_whole_is_printed_with_a_word_beside_it(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "Tell me a story.")
        chat_id = await server.until_busy()
        await server.happens(
            chat_id,
            step(replace(says("Once upon a"), cut_off=True)),
            FinishTurn(reason=Reason.MAX_TOKENS),
        )

        run = await ended(process)

    assert (run.code, run.output) == (0, "Once upon a\n")
    assert CUT_OFF in run.errors


async def test_why_there_is_no_answer_is_told_while_one_waits_and_afterwards(
    store: Store, tmp_path: Path
) -> None:
    failed = Failure(message="The request was refused.", detail="temperature is not supported")
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "hello")
        assert process.stderr is not None
        chat_id = await server.until_busy()
        assert (await process.stderr.readline()).decode() == f"chat {chat_id}\n"
        await server.happens(chat_id, BeginAttempt(), RecordRetry(retry=retry()))
        assert await process.stderr.readline() == b"chatd: Attempt 1 failed (busy); again in 1 s.\n"
        await server.happens(chat_id, FailTurn(failure=failed))

        run = await ended(process)

    assert (run.code, run.output) == (3, "")
    assert run.errors == (
        "chatd: The agent failed: The request was refused. (temperature is not supported)\n"
    )


async def test_who_stops_waiting_is_told_that_the_agent_goes_on(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "hello")
        assert process.stderr is not None
        chat_id = (await process.stderr.readline()).decode().split()[1]
        process.send_signal(signal.SIGINT)

        run = await ended(process)
        await server.until_status(chat_id, "running")

    assert (run.code, f"`chatd interrupt {chat_id}` stops it" in run.errors) == (130, True)


async def test_files_are_sent_along(store: Store, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Mars")
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "Read this.", "--file", "notes.md")
        chat_id = await server.until_busy()
        await server.happens(chat_id, *FINISHED)
        run = await ended(process)
        missing = await ran(tmp_path, server, "send", "--new", "And this.", "--file", "none.md")

        async with AsyncClient(server.address, server.token) as client:
            (_, asked) = (await client.messages(chat_id)).messages
            assert await client.file(asked.content[1].file_id or "") == b"# Mars"
    assert run.code == 0
    assert [(part.type, part.name, part.media_type) for part in asked.content] == [
        ("text", None, None),
        ("file", "notes.md", "text/markdown"),
    ]
    assert (missing.code, missing.errors) == (2, "chatd: Cannot read none.md: No such file or directory.\n")


async def test_source_code_is_sent_along(store: Store, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print(1)")
    (tmp_path / "index.html").write_text("<html>")
    async with served(store) as server:
        process = await begun(
            tmp_path, server, "send", "--new", "Read.", "--file", "main.py", "--file", "index.html"
        )
        chat_id = await server.until_busy()
        await server.happens(chat_id, *FINISHED)
        run = await ended(process)
        async with AsyncClient(server.address, server.token) as client:
            (_, asked) = (await client.messages(chat_id)).messages

    assert (run.code, run.errors) == (0, f"chat {chat_id}\n")
    assert [(part.name, part.media_type) for part in asked.content[1:]] == [
        ("main.py", "text/plain"),
        ("index.html", "text/plain"),
    ]


THOUGHT = replace(says("x"), content=(Reasoning(text="hm"),))


@pytest.mark.parametrize("ending", [(FinishTurn(),), (step(THOUGHT), FinishTurn())])
async def test_an_answer_with_nothing_in_it_is_a_failure(
    store: Store, tmp_path: Path, ending: tuple[object, ...]
) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "Name a planet.")
        chat_id = await server.until_busy()
        await server.happens(chat_id, *ending)
        run = await ended(process)

    assert (run.code, run.output) == (3, "")
    assert run.errors == f"chat {chat_id}\nchatd: {NOTHING_SAID}\n"


async def test_the_beginning_of_an_id_will_do(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.", title="Planets")
        other_id = await a_chat(server, "Name a moon.", title="Moons")
        same = takewhile(lambda pair: pair[0] == pair[1], zip(chat_id, other_id, strict=True))
        shared = "".join(character for character, _ in same)
        unique, several = chat_id[: len(shared) + 1], shared[:8]
        assert len(shared) >= 4

        stopped = await ran(tmp_path, server, "interrupt", unique)
        await server.happens(chat_id, FinishInterruption())
        page = await ran(tmp_path, server, "export", unique, "--format", "markdown")
        watched = await begun(tmp_path, server, "watch", unique)
        await reads(watched, "> Name a planet.\n")
        watched.send_signal(signal.SIGINT)
        await ended(watched)
        process = await begun(tmp_path, server, "send", unique, "Another one.")
        await server.until_status(chat_id, "running")
        await server.happens(chat_id, *FINISHED)
        sent = await ended(process)
        talked = await ran(tmp_path, server, "chat", unique)
        unclear = await ran(tmp_path, server, "export", several)
        missing = await ran(tmp_path, server, "export", "0000")

    assert (stopped.code, page.code, sent.code, talked.code) == (0, 0, 0, 0)
    assert page.output.startswith("# Planets\n")
    assert sent.output == "Mars.\n"
    assert unclear.code == 1
    assert unclear.errors.splitlines()[0] == f"chatd: Several chats begin with {several!r}:"
    assert set(unclear.errors.splitlines()[1:]) == {f"  {chat_id}  Planets", f"  {other_id}  Moons"}
    assert missing.errors.startswith("chatd: There is no chat '0000'.")


async def test_the_beginning_of_an_agents_id_will_do_and_of_a_chat_that_was_shared(
    store: Store, tmp_path: Path
) -> None:
    agent_id = "dc125f33-fa11-831d-b7bf-14853dee0e27"
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.", title="Planets")
        await create_chat(store, create(user("Name a moon."), chat_id=agent_id, parent=chat_id))
        other = await server.as_admin()
        shared_id = await a_chat(other, "Name a star.", title="Stars")
        async with AsyncClient(other.address, other.token) as client:
            await client.share(shared_id, "owner", role="reader")

        agent = await ran(tmp_path, server, "export", agent_id[:13], "--format", "markdown")
        shared = await ran(tmp_path, server, "export", shared_id, "--format", "markdown")

    assert (agent.code, "Name a moon." in agent.output) == (0, True)
    assert (shared.code, "Name a star." in shared.output) == (0, True)


async def test_advice_is_for_a_terminal_and_not_for_programs(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        unknown = await ran(tmp_path, server, "interrupt", "nobody")
    away = chatd(tmp_path, "ls", "--url", "http://127.0.0.1:9", "--token", "t")

    assert unknown.errors == (
        "chatd: There is no chat 'nobody'. `chatd ls` lists yours, with their whole ids.\n"
    )
    assert complaint(away) == (
        "Cannot reach chatd at http://127.0.0.1:9: Connection refused. "
        "Is `chatd serve` running? Name another server with --url."
    )


@pytest.mark.parametrize(
    "arguments", [["send"], ["send", "--new", "a", "b"], ["send", "--new", " "], ["ls", "--label", "x"]]
)
def test_misuse_is_told(tmp_path: Path, arguments: list[str]) -> None:
    run = chatd(tmp_path, *arguments, "--token", "t", more={"CHATD_URL": "http://127.0.0.1:9"})

    assert (run.returncode, run.stdout) == (2, "")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("arguments", "why", "words"),
    [
        ([], "Say in which chat.", '"TEXT"'),
        (["Name a planet."], "Say in which chat.", "'Name a planet.'"),
        (["It's me"], "Say in which chat.", """'It'"'"'s me'"""),
        (["hello"], "There is nothing to say, or it is not said in which chat.", "hello"),
        (
            ["--new", "Name a", "planet."],
            "With --new there is no ID. Put the text in quotes.",
            "'Name a planet.'",
        ),
        (["--new"], "There is nothing to say.", '"TEXT"'),
    ],
)
def test_who_forgets_to_say_where_is_told_what_to_type(
    tmp_path: Path, arguments: list[str], why: str, words: str
) -> None:
    run = chatd(tmp_path, "send", *arguments, "--token", "t", more={"CHATD_URL": "http://127.0.0.1:9"})

    assert run.returncode == 2
    assert run.stderr.partition("Error: ")[2] == (
        f"{why}\n"
        f"  To start a chat:  chatd send --new {words}\n"
        f"  To go on in one:  chatd send ID {words}    (`chatd ls` lists yours)\n"
    )


async def test_who_has_a_chat_and_nothing_to_say_is_told_so(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        run = await ran(tmp_path, server, "send", chat_id, given=" ")

    assert (run.code, f"  To go on in one:  chatd send {chat_id} " in run.errors) == (2, True)


async def test_a_user_at_a_terminal_is_not_kept_waiting_without_a_word(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        async with typing(tmp_path, server, "send", "hello") as person:
            await person.sees("chatd send --new hello")
            assert await person.leaves() == 2
        async with typing(tmp_path, server, "send", "--new") as person:
            await person.sees("Type what to say")
            person.type("Name a planet.\n\x04")
            chat_id = await server.until_busy()
            await server.happens(chat_id, *FINISHED)
            await person.sees("Mars.")
            assert await person.leaves() == 0


async def test_chats_are_listed_for_people_and_for_scripts(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, title="Planets", labels={"team": "blue"})
        await a_chat(server, title="Moons")

        people = await ran(tmp_path, server, "ls")
        script = await ran(tmp_path, server, "ls", "--json", "--label", "team:blue", "--title", "plan")

    assert {line.split("  ")[-1] for line in people.output.splitlines()} == {"Planets", "Moons"}
    (chat,) = json.loads(script.output)["chats"]
    assert (chat["id"], chat["title"], chat["status"]) == (chat_id, "Planets", "running")


async def test_chats_are_found_with_a_piece_of_the_message(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.", title="Sky")
        await index_all(store.db, HurriedClock())

        found = await ran(tmp_path, server, "ls", "--search", "planet name")
        missed = await ran(tmp_path, server, "ls", "--search", "moon")

    first, second = found.output.splitlines()
    assert (first.split()[0], second) == (chat_id, "    1: Name a planet.")
    assert (missed.output, missed.errors) == ("", "No chat has all these words.\n")


async def test_an_agent_is_stopped(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)

        first = await ran(tmp_path, server, "interrupt", chat_id)
        second = await ran(tmp_path, server, "interrupt", chat_id)

    assert (first.code, first.output) == (0, "The chat is interrupting.\n")
    assert (second.code, second.output) == (1, "")
    assert second.errors == "chatd: Cannot interrupt now: the chat is interrupting.\n"


async def test_a_chat_travels_as_a_file(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        await server.happens(chat_id, *FINISHED)

        wrote = await ran(tmp_path, server, "export", chat_id, "-o", "chat.json")
        made = await ran(tmp_path, server, "import", "chat.json")
        piped = await ran(tmp_path, server, "import", "-", given=(tmp_path / "chat.json").read_text())
        page = await ran(tmp_path, server, "export", made.output.strip(), "--format", "markdown")

    assert (wrote.code, wrote.output) == (0, "")
    assert len({chat_id, made.output, piped.output}) == 3
    assert page.output.endswith("## User\n\nName a planet.\n\n## Assistant\n\nMars.\n")


async def test_what_is_no_chat_is_not_imported(store: Store, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("[1]")
    async with served(store) as server:
        bad = await ran(tmp_path, server, "import", "bad.json")
        missing = await ran(tmp_path, server, "import", "missing.json")
        refused = await ran(tmp_path, server, "import", "-", given='{"format": "chatd-chat"}')

    assert [run.code for run in (bad, missing, refused)] == [1, 1, 1]
    assert "does not hold an exported chat" in bad.errors
    assert "Cannot read missing.json" in missing.errors
    assert refused.errors.startswith("chatd: ")


async def test_the_text_of_a_report_is_in_paragraphs_as_it_is_drawn(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "Name a planet.", "--json")
        chat_id = await server.until_busy()
        said = says("Let me think.", Reasoning(text="Which one?"), Text(text="Mars"), Text(text=" is one."))
        await server.happens(chat_id, step(said), FinishTurn())
        run = await ended(process)

    assert told_last(run.output)["text"] == "Let me think.\n\nMars is one."


async def test_a_chat_is_watched_by_a_script(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        process = await begun(tmp_path, server, "watch", chat_id, "--json")
        assert process.stdout is not None

        async def until(kind: str) -> Any:
            assert process.stdout is not None
            while (event := json.loads(await process.stdout.readline()))["type"] != kind:
                pass
            return event

        assert (await until("status"))["status"] == "running"
        await server.happens(chat_id, *FINISHED)
        assert (await until("message"))["message"]["content"][0]["text"] == "Mars."
        process.send_signal(signal.SIGINT)
        run = await ended(process)

    assert (run.code, run.errors) == (0, "")


async def test_a_chat_is_watched_by_a_person(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        process = await begun(tmp_path, server, "watch", chat_id)
        assert process.stdout is not None
        assert await process.stdout.readline() == b"> Name a planet.\n"
        await server.happens(chat_id, *FINISHED)
        assert await process.stdout.readline() == b"Mars.\n"
        async with AsyncClient(server.address, server.token) as client:
            await client.delete_chat(chat_id)

        run = await ended(process)

    assert (run.code, run.output) == (0, "The chat was deleted.\n")


async def speaking(server: Served, chat_id: str) -> Episode:
    """The agent has begun to speak."""
    done = await server.happens(chat_id, BeginAttempt())
    return server.live.board.open(
        EpisodeKey(ChatId(chat_id), done.chat.versions.history, done.chat.versions.attempt)
    )


async def reads(process: Process, words: str) -> None:
    """Wait until these words, and nothing else, were printed."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert (await process.stdout.readexactly(len(words.encode()))).decode() == words


async def test_words_are_watched_as_they_come_and_not_again_when_they_are_saved(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        process = await begun(tmp_path, server, "watch", chat_id)
        await reads(process, "> Name a planet.\n")
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Mars"))
        await reads(process, "Mars")
        episode.add(Role.ASSISTANT, Text(text=" is\tred"))
        await reads(process, " is\tred")
        await server.happens(chat_id, step(says("Mars is\tred.")), FinishTurn())
        await reads(process, ".\n")
        process.send_signal(signal.SIGINT)
        run = await ended(process)

    assert (run.code, run.output) == (0, "")


async def test_words_of_an_answer_are_printed_as_they_come(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        await server.happens(chat_id, *FINISHED)
        process = await begun(tmp_path, server, "send", chat_id, "Another one.")
        await server.until_status(chat_id, "running")
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Ven"))
        await reads(process, "Ven")
        episode.add(Role.ASSISTANT, Text(text="us."))
        await reads(process, "us.")
        await server.happens(chat_id, step(says("Venus.")), FinishTurn())
        run = await ended(process)

    assert (run.code, run.output, run.errors) == (0, "\n", "")


async def test_words_of_an_answer_are_printed_as_they_come_at_a_terminal(
    store: Store, tmp_path: Path
) -> None:
    command = ("send", "--new", "Name a planet.")
    async with served(store) as server, typing(tmp_path, server, *command) as person:
        chat_id = await server.until_busy()
        episode = await speaking(server, chat_id)
        episode.add(Role.ASSISTANT, Text(text="Mars and mo"))
        await person.sees("Mars and mo")
        await server.happens(chat_id, step(says("Mars and more.")), FinishTurn())
        await person.sees("re.")
        assert await person.leaves() == 0


def test_a_server_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    for arguments in (["ls"], ["send", "--new", "x"], ["watch", "x"], ["interrupt", "x"], ["export", "x"]):
        run = chatd(tmp_path, *arguments, "--url", "http://127.0.0.1:9", "--token", "t")

        assert run.returncode == 1
        assert complaint(run).startswith("Cannot reach chatd at http://127.0.0.1:9")


async def test_on_the_servers_own_machine_nothing_has_to_be_said(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        port = server.address.rpartition(":")[2]
        await server.start_chat("Look at me.")

        run = await asyncio.to_thread(chatd, tmp_path, "ls", "--data-dir", "data", more={"CHATD_PORT": port})

    assert run.stdout.endswith("Look at me.\n")


def test_the_token_of_this_machine_is_not_shown_to_another(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "admin-token").write_text("chatd_secret_of_this_machine")

    run = chatd(tmp_path, "ls", "--data-dir", "data", "--url", "http://chats.example")

    assert run.returncode == 2
    assert complaint(run) == "Give your token for http://chats.example with --token or CHATD_TOKEN."


@pytest.mark.parametrize("url", ["chats.example", "ftp://chats.example", "http://"])
def test_what_is_no_address_is_told(tmp_path: Path, url: str) -> None:
    run = chatd(tmp_path, "ls", "--url", url, "--token", "t")

    assert run.returncode == 2
    assert "is not the address of a server" in complaint(run)


def test_a_missing_token_is_told(tmp_path: Path) -> None:
    run = chatd(tmp_path, "ls", "--data-dir", "data")

    assert run.returncode == 2
    assert complaint(run).startswith(f"There is no token in {tmp_path}/data/admin-token.")
