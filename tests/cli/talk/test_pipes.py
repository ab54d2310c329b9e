"""What talks in a pipe, as processes: whoever reads may leave, and the chat may go."""

from pathlib import Path

import pytest

from chatd.cli.lazy import UNREAD
from chatd.client import AsyncClient
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store
from tests.cli.caller import begun, begun_in_shell, ended
from tests.support.served import served
from tests.words import says, step


@pytest.mark.parametrize("command", ["send --new Hi.", "send --new Hi. --json", "chat"])
async def test_a_pipe_that_nobody_reads_any_more_ends_it_as_a_shell_would_and_without_a_word(
    store: Store, tmp_path: Path, command: str
) -> None:
    async with served(store) as server:
        process = await begun_in_shell(tmp_path, server, command, read_by="{ head -1; echo over; }")
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"Hi.\n")
        chat_id = await server.until_busy()
        await server.happens(chat_id, step(says("Mars.\n")))
        while await process.stdout.readline() != b"over\n":
            pass
        # Nobody reads any more.
        await server.happens(chat_id, step(says("Venus.\n")), FinishTurn())
        run = await ended(process)

    assert run.errors.replace(f"chat {chat_id}\n", "") == f"{UNREAD}\n"


async def test_that_a_chat_is_deleted_while_one_waits_is_told_in_a_sentence(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        process = await begun(tmp_path, server, "send", "--new", "Hi.", "--json")
        chat_id = await server.until_busy()
        assert process.stdout is not None
        # It listens by now.
        assert await process.stdout.readline()
        async with AsyncClient(server.address, server.token) as client:
            await client.delete_chat(chat_id)
        run = await ended(process)

    assert (run.code, run.errors) == (1, "chatd: The chat was deleted, or you may not watch it any more.\n")
