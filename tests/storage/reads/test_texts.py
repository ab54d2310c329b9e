"""What models write about a chat is kept on its row, and read with it."""

from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId
from chatd.domain.message import text
from chatd.domain.profile.texts import TitleBy, TurnLabel
from chatd.domain.transitions.chat.charge_text import ChargeText
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.name_chat import NameChat
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.usage.charge import Charge, Fate
from chatd.storage.reads.read import list_chats, read_chat, read_everything
from chatd.storage.reads.texts import FIRST_MESSAGES, LAST_MESSAGES, MESSAGE_CHARACTERS_MAX, read_spoken
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.words import OWNER, create, says, step, summary, user

CHAT = ChatId("chat")
CHARGE = Charge(history=0, attempt=0, model="p/m", operation="title", fate=Fate.USED)


async def test_what_was_written_about_a_chat_is_there_again(store: Store) -> None:
    done = await create_chat(store, create(chat_id=CHAT), FinishTurn())
    chat = done.chat
    label = TurnLabel(turn=chat.projection.turn_start, text="Fixed the tests ✓")
    name = NameChat(title="Über Tests", instead_of=chat.title, chosen_by=chat.title_by)

    done = await transact(store, CHAT, ChargeText(charge=CHARGE), name, LabelTurn(label=label))
    done = await transact(store, CHAT, SummarizeChat(summary="About\ttests."))

    stored = await read_everything(store.db, CHAT)
    assert stored is not None
    assert stored.chat == done.chat
    assert (stored.chat.title, stored.chat.title_by) == ("Über Tests", TitleBy.MODEL)
    assert (stored.chat.turn_label, stored.chat.summary) == (label, "About\ttests.")
    assert [(each.operation, each.attempt) for each in stored.charges] == [("title", 0)]
    assert stored.chat.updated_at == chat.updated_at


async def test_a_new_title_is_found_in_the_list_by_its_words(store: Store) -> None:
    chat = (await create_chat(store, create(chat_id=CHAT), FinishTurn())).chat
    name = NameChat(title="ÜBER Tests", instead_of=chat.title, chosen_by=chat.title_by)
    await transact(store, CHAT, name)

    page = await list_chats(store.db, OWNER, archived=False, title="über t", limit=5)

    assert [each.id for each in page.chats] == [CHAT]


async def test_it_is_kept_who_named_a_chat(store: Store) -> None:
    await create_chat(store, create(chat_id=CHAT))
    assert (await read_chat(store.db, CHAT)).title_by is TitleBy.FALLBACK  # type: ignore[union-attr]

    await transact(store, CHAT, DescribeChat(details=Details(title="Mine")))

    assert (await read_chat(store.db, CHAT)).title_by is TitleBy.PERSON  # type: ignore[union-attr]


async def test_of_a_long_chat_the_beginning_and_the_end_are_read(store: Store) -> None:
    await create_chat(store, create(user("first"), chat_id=CHAT))
    for n in range(40):
        await transact(store, CHAT, step(says(f"say {n}")))
    await transact(store, CHAT, step(says("w" * MESSAGE_CHARACTERS_MAX)), step(*summary("so far")))

    spoken = await read_spoken(store.db, CHAT)

    assert spoken is not None
    words = [text(message) for message in spoken.messages]
    assert words[:FIRST_MESSAGES] == ["first", "say 0", "say 1", "say 2"]
    # Neither what is too long to be read for a few of its words, nor what only the model sees.
    assert words[FIRST_MESSAGES:] == [f"say {n}" for n in range(40 - LAST_MESSAGES, 40)]
    assert await read_spoken(store.db, ChatId("none")) is None
