"""What a chat is set up with, on both databases: kept, changed with its message, and left alone otherwise."""

from msgspec.structs import replace

from chatd.domain.ids import ChatId
from chatd.domain.setup import NO_SETUP, ClientTool, Setup, SetupChange
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.database import Connection, Database
from chatd.storage.reads.read import read_everything, read_setup
from chatd.storage.transactions.load import informed, lock
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.words import create, says, send, step

CHAT = ChatId("chat")
SCHEMA = {"type": "object", "properties": {"url": {"type": "string"}}}
TOOLS = (ClientTool(name="open_tab", description="Opens a tab.", input_schema=SCHEMA),)
OTHER = SetupChange(client_tools=(ClientTool(name="other"),))


async def test_what_a_chat_is_set_up_with_is_kept_and_changed(store: Store, database: Database) -> None:
    await create_chat(store, replace(create(), setup=SetupChange(client_tools=TOOLS)))
    assert await read_setup(database, CHAT) == Setup(client_tools=TOOLS)

    await transact(store, CHAT, step(says("hi")), FinishTurn())
    done = await transact(store, CHAT, replace(send("and now?"), setup=OTHER))

    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert stored.setup == done.locked.setup == Setup(client_tools=(ClientTool(name="other"),))
    assert stored.chat == done.chat


async def test_a_queued_message_keeps_what_it_sets_up(store: Store, database: Database) -> None:
    await create_chat(store, replace(create(), setup=SetupChange(client_tools=TOOLS)))
    done = await transact(store, CHAT, replace(send("later"), setup=OTHER))
    before = await read_everything(database, CHAT)
    assert before is not None
    assert before.queue == done.locked.queue
    assert before.setup == Setup(client_tools=TOOLS)

    await transact(store, CHAT, step(says("hi")), FinishTurn())

    assert await read_setup(database, CHAT) == Setup(client_tools=(ClientTool(name="other"),))


async def test_a_chat_without_a_setup_is_set_up_with_nothing(store: Store, database: Database) -> None:
    await create_chat(store, replace(create(), setup=None))

    assert await read_setup(database, CHAT) == NO_SETUP
    assert await read_setup(database, ChatId("gone")) == NO_SETUP


async def test_a_deleted_chat_takes_its_setup_along(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await delete_chat(store, CHAT)

    assert await read_setup(database, CHAT) == NO_SETUP


async def test_a_command_that_changes_no_setup_reads_none(store: Store, database: Database) -> None:
    await create_chat(store, replace(create(), setup=SetupChange(client_tools=TOOLS)))

    async def body(tx: Connection) -> list[Setup | None]:
        locked = await lock(tx, CHAT)
        commands = (send("hello"), replace(send("hello"), setup=OTHER))
        return [(await informed(tx, locked, command, ())).setup for command in commands]

    assert await database.write(body) == [None, Setup(client_tools=TOOLS)]
