"""Nothing that a server, a model or a file says can command the terminal, whichever command prints it."""

import json
from pathlib import Path

from chatd.client import AsyncClient
from chatd.domain.chat import Failure
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.kit.text import visible
from chatd.storage.transactions.transact import Store
from tests.cli.caller import Ran, begun, ended, ran
from tests.support.catalog_stores import FakeProber
from tests.support.served import served
from tests.words import says, step

# Clears the screen, colours, sets the title of the window, and turns the text around.
NASTY = "\x1b[2Jred\x9b31m\x1b]0;owned\x07\u202e\u2066 end"


def assert_harmless(*runs: Ran) -> None:
    for run in runs:
        assert visible(run.output) == run.output
        assert visible(run.errors) == run.errors


async def test_what_a_model_says_commands_no_terminal(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "hello")
        chat_id = await server.until_busy()
        await server.happens(chat_id, step(says(NASTY)), FinishTurn())
        sent = await ended(process)
        page = await ran(tmp_path, server, "export", chat_id, "--format", "markdown")
        whole = await ran(tmp_path, server, "export", chat_id)
        listed = await ran(tmp_path, server, "ls", "--json")

        async with AsyncClient(server.address, server.token) as client:
            await client.send(chat_id, "again")
        watched = await begun(tmp_path, server, "watch", chat_id, "--json")
        await server.happens(chat_id, FailTurn(failure=Failure(message=NASTY)))
        failed = await begun(tmp_path, server, "send", chat_id, "again")
        async with AsyncClient(server.address, server.token) as client:
            await server.until_status(chat_id, "running")
            await server.happens(chat_id, FailTurn(failure=Failure(message=NASTY)))
            runs = [await ended(failed)]
            await client.delete_chat(chat_id)
            runs.append(await ended(watched))

    assert_harmless(sent, page, whole, listed, *runs)
    assert "red" in sent.output
    assert "red" in runs[0].errors
    (said,) = [m for m in json.loads(whole.output)["messages"] if m["role"] == "assistant"]
    assert said["content"][0]["text"] == NASTY


async def test_what_a_model_says_when_it_is_tried_out_commands_no_terminal(
    store: Store, tmp_path: Path
) -> None:
    prober = FakeProber()
    prober.says = NASTY
    async with served(store, prober=prober) as anyone:
        server = await anyone.as_admin()
        runs = [await ran(tmp_path, server, "model", "test", *more) for more in ([], ["--json"])]

    assert_harmless(*runs)
    assert "red" in runs[0].output
    assert json.loads(runs[1].output)["says"] == NASTY


async def test_what_a_server_refuses_with_commands_no_terminal(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        run = await ran(tmp_path, server, "interrupt", NASTY)

    assert run.code == 1
    assert_harmless(run)
