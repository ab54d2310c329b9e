from msgspec.structs import replace

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Visibility
from chatd.storage.reads.checkpoints import was_noticed
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.words import create, step, system

CHAT = ChatId("chat")


async def test_what_people_were_told_is_found_after_the_message_that_it_was_told_after(store: Store) -> None:
    done = await create_chat(store, create(chat_id=CHAT))
    asked = done.appended[-1].id
    notice = replace(system("Not kept. The disk is full."), visibility=Visibility.USER)
    (told,) = (await transact(store, CHAT, step(system("Not kept, for the model."), notice))).appended[-1:]

    assert await was_noticed(store.db, CHAT, asked, "Not kept.")
    assert not await was_noticed(store.db, CHAT, asked, "Not kept,")
    assert not await was_noticed(store.db, CHAT, told.id, "Not kept.")
    assert not await was_noticed(store.db, ChatId("other"), MessageId(0), "Not kept.")
