"""How much an import may bring, and that what it brings is looked up at once."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from chatd.api.bodies import CarriedMessage
from chatd.api.bodies.fields import CARRIED_FILES_MAX, CARRIED_MESSAGES_MAX
from chatd.api.chats.messages import history
from chatd.api.chats.messages.history import CHECKED_AT_ONCE_MAX, IMPORTED_CALLS_MAX
from chatd.api.serving.intake import JSON_VALUES_MAX
from chatd.domain.ids import ChatId, FileId, UserId
from chatd.domain.limits import CALLS_PER_MESSAGE_MAX, PARTS_PER_MESSAGE_MAX
from chatd.domain.message import Role
from chatd.domain.part import File, Text
from chatd.storage.database import Connection, Database, Row
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.load import files_in_question
from tests.api.client import CHATS, Client

IMPORT = f"{CHATS}/import"


def says(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": parts}


def text(words: str = "hi") -> dict[str, Any]:
    return {"type": "text", "text": words}


def file(number: int) -> dict[str, Any]:
    return {"type": "file", "file_id": f"file-{number}", "media_type": "text/plain", "name": "a.txt"}


def calls(count: int) -> list[dict[str, Any]]:
    """A reply with so many calls, and the message with their results."""
    ids = [f"call-{number}" for number in range(count)]
    made = [{"type": "tool-call", "tool_call_id": each, "tool_name": "echo", "args": {}} for each in ids]
    back = [{"type": "tool-result", "tool_call_id": each, "tool_name": "echo", "result": 1} for each in ids]
    return [{"role": "assistant", "content": made}, {"role": "tool", "content": back}]


def chat(*messages: Any) -> dict[str, Any]:
    return {"format": "chatd-chat", "version": 1, "title": "carried", "messages": messages}


FULL_REPLY = calls(CALLS_PER_MESSAGE_MAX)


@pytest.mark.parametrize(
    "body",
    [
        chat(says(text()), *(FULL_REPLY * (IMPORTED_CALLS_MAX // CALLS_PER_MESSAGE_MAX))),
        chat(says(*[text()] * PARTS_PER_MESSAGE_MAX)),
        chat(*[says(text())] * CARRIED_MESSAGES_MAX),
        chat(says(text()), *FULL_REPLY),
        chat(says(*(file(number) for number in range(CARRIED_FILES_MAX)))),
        chat(says(text(",[{" * JSON_VALUES_MAX))),
    ],
    ids=["calls of a chat", "parts", "messages", "calls", "files", "brackets in a text"],
)
async def test_so_much_can_be_imported(client: Client, body: Any) -> None:
    assert (await client.post(IMPORT, body)).status == 201


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (chat(says(*[text()] * (PARTS_PER_MESSAGE_MAX + 1))), "bad_value"),
        (chat(*[says(text())] * (CARRIED_MESSAGES_MAX + 1)), "bad_value"),
        (chat(says(text()), *calls(CALLS_PER_MESSAGE_MAX + 1)), "too_many_parts"),
        (
            chat(says(text()), *(FULL_REPLY * (IMPORTED_CALLS_MAX // CALLS_PER_MESSAGE_MAX + 1))),
            "too_many_parts",
        ),
        (chat(says(*(file(number) for number in range(CARRIED_FILES_MAX + 1)))), "too_many_parts"),
        (
            chat({"role": "user", "content": [text()], "usage": {"x": [[]] * JSON_VALUES_MAX}}),
            "too_many_values",
        ),
    ],
    ids=["parts", "messages", "calls of a message", "calls of a chat", "files", "values"],
)
async def test_more_is_refused_before_the_database_hears_of_it(client: Client, body: Any, code: str) -> None:
    answer = await client.post(IMPORT, body)

    assert (answer.status, answer.error["code"]) == (400, code)


@pytest.mark.parametrize("path", [CHATS, "messages"])
async def test_a_message_has_so_many_parts(client: Client, path: str) -> None:
    place = CHATS if path == CHATS else f"{CHATS}/{(await client.start_chat())['id']}/messages"
    answer = await client.post(place, {"content": [text()] * (PARTS_PER_MESSAGE_MAX + 1)})

    assert (answer.status, answer.error["field"]) == (400, "content")


async def test_others_have_their_turn_while_a_long_import_is_looked_at() -> None:
    said = CarriedMessage(role=Role.USER, content=(Text(text="hi"),))
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.ensure_future(other())
    drafts = await history.drafts_of([said] * CARRIED_MESSAGES_MAX, "messages")
    beside.cancel()

    assert len(drafts) == CARRIED_MESSAGES_MAX
    assert turns >= CARRIED_MESSAGES_MAX // CHECKED_AT_ONCE_MAX


class Counting:
    """A connection that counts what it is asked."""

    def __init__(self, tx: Connection) -> None:
        self._tx = tx
        self.queries = 0

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        self.queries += 1
        return await self._tx.all(query, *args)

    async def one(self, query: str, *args: object) -> Row | None:
        self.queries += 1
        return await self._tx.one(query, *args)

    async def run(self, query: str, *args: object) -> None:
        raise NotImplementedError

    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        raise NotImplementedError

    async def script(self, sql: str) -> None:
        raise NotImplementedError


@pytest.mark.parametrize("count", [1, 500])
async def test_however_many_files_are_mentioned_they_are_looked_up_at_once(
    database: Database, owner: UserId, count: int
) -> None:
    for name in ("file-0", "file-3"):
        await add_file(
            database, file_id=FileId(name), owner_id=owner, name="a", media_type="text/plain", data=b"a"
        )
    mentioned = tuple(File(file_id=FileId(f"file-{n}"), media_type="text/plain") for n in range(count))

    async def body(tx: Connection) -> tuple[int, frozenset[FileId]]:
        counting = Counting(tx)
        files = await files_in_question(counting, ChatId("x"), owner, [mentioned])
        return counting.queries, frozenset(files.known)

    queries, known = await database.write(body)
    assert queries == 2
    assert sorted(known) == (["file-0"] if count == 1 else ["file-0", "file-3"])
