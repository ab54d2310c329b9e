"""An agent reads what it was shown only a part of."""

import pytest
from msgspec.structs import replace

from chatd.domain.ids import CallId, ChatId, FileId
from chatd.domain.message import Role
from chatd.domain.part import File, Text
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Database
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.transact import Store, create_chat
from chatd.tools.history.read_message import Args, read_message
from chatd.tools.tool import Setting, ToolError
from tests.words import OWNER, answers, call, create, says, user

LONG = "".join(f"{n}: wörd\n" for n in range(5_000))


def setting(chat_id: str = "chat") -> Setting:
    return Setting(chat_id=ChatId(chat_id), call_id=CallId("c"), show=lambda _: None)


@pytest.fixture
async def chat(database: Database) -> Database:
    await add_file(
        database,
        file_id=FileId("f"),
        owner_id=OWNER,
        name="notes.txt",
        media_type="text/plain",
        data="Ærø".encode(),
    )
    file = File(file_id=FileId("f"), media_type="text/plain", name="notes.txt")
    first = replace(user(LONG), content=(Text(text=LONG), file))
    store = Store(database, MemoryBus())
    await create_chat(
        store, create(first, says("Look.", call("a", args={"path": "x"})), answers("a", {"n": 1}))
    )
    await create_chat(store, create(user("Secret."), chat_id="other"))
    return database


async def test_a_message_is_read_piece_by_piece_and_nothing_is_missing(chat: Database) -> None:
    read = read_message(chat).run
    pages = [await read(Args(message_id=1, length=10_000), setting())]
    while (offset := pages[-1]["next_offset"]) is not None:
        pages.append(await read(Args(message_id=1, offset=offset, length=10_000), setting()))
    text = "".join(page["text"] for page in pages)

    assert {page["role"] for page in pages} == {Role.USER}
    # Only characters that a page has cut in two are missing.
    assert text.replace("wrd", "wörd") == f"{LONG}\n[The file notes.txt:]\nÆrø"


async def test_calls_and_results_are_read_as_text(chat: Database) -> None:
    read = read_message(chat).run

    assert (await read(Args(message_id=2), setting()))["text"] == 'Look.\nread_file {"path":"x"}'
    assert (await read(Args(message_id=3), setting()))["text"] == '{"n":1}'


@pytest.mark.parametrize(
    ("args", "why"),
    [(Args(message_id=99), "no message 99"), (Args(message_id=3, offset=500), "has 7 bytes")],
)
async def test_what_is_not_there_is_told(chat: Database, args: Args, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        await read_message(chat).run(args, setting())


async def test_messages_of_other_chats_are_not_there(chat: Database) -> None:
    found = await read_message(chat).run(Args(message_id=1), setting("other"))

    assert found["text"] == "Secret."
    with pytest.raises(ToolError):
        await read_message(chat).run(Args(message_id=2), setting("other"))
