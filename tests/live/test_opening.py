"""A long chat is opened at its end, and what followed a cursor comes in chunks."""

from typing import Any

import pytest
from msgspec.structs import replace

from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Message
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.kit.concurrency.bell import Bell
from chatd.live.cursor import Known, cursor_of
from chatd.live.encoded import Encoded
from chatd.live.events import ChatDescribed, MessageSaved
from chatd.live.kinds import FULL, RESTRICTED, ChatDetails, Shapes, SharedDetails
from chatd.live.live import Live
from chatd.live.shapes import MessageView, message_view
from chatd.live.watch import watch
from chatd.storage.reads.chunks import CHUNK_CHARACTERS_MAX, CHUNK_MESSAGES_MAX, FEW_MESSAGES, OPENING
from chatd.storage.reads.read import list_messages
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.live.listening import CHAT, Watcher, types
from tests.words import OWNER, create, said, says, step, user

LONG = 2 * CHUNK_MESSAGES_MAX + 50


async def start(store: Store, count: int, *, characters: int = 1) -> None:
    await create_chat(store, create(*(user(f"{n} " + "x" * characters) for n in range(1, count + 1))))


async def all_of(viewer: Watcher) -> list[list[str]]:
    """Every batch until they are told the status, which comes after all messages."""
    batches: list[list[str]] = []
    while not batches or "preview_reset" not in batches[-1]:
        batches.append(types(await viewer.next()))
    return batches


async def test_a_new_viewer_of_a_long_chat_is_told_its_end_and_that_there_is_more(
    store: Store, live: Live
) -> None:
    await start(store, LONG)
    viewer = Watcher(store, live)

    events = await viewer.next()

    assert types(events) == [
        "chat", "older_messages", *["message"] * CHUNK_MESSAGES_MAX, "status", "preview_reset",
    ]  # fmt: skip
    first = LONG - CHUNK_MESSAGES_MAX + 1
    assert events[1]["before_id"] == first
    assert list(viewer.picture.messages) == list(range(first, LONG + 1))
    page = await list_messages(store.db, CHAT, before=MessageId(first), limit=LONG)
    assert [message.id for message in page.messages] == list(range(first - 1, 0, -1))


@pytest.mark.parametrize("count", [FEW_MESSAGES, FEW_MESSAGES * 4])
async def test_a_new_viewer_of_large_messages_is_told_as_many_as_fit(
    store: Store, live: Live, count: int
) -> None:
    await start(store, count, characters=CHUNK_CHARACTERS_MAX // 4)
    viewer = Watcher(store, live)
    await viewer.next()

    assert list(viewer.picture.messages) == [count - n for n in (2, 1, 0)]


@pytest.mark.parametrize("count", [FEW_MESSAGES, FEW_MESSAGES + 1, CHUNK_MESSAGES_MAX])
async def test_a_new_viewer_of_a_chat_that_fits_is_told_everything(
    store: Store, live: Live, count: int
) -> None:
    await start(store, count)
    viewer = Watcher(store, live)

    assert types(await viewer.next()) == ["chat", *["message"] * count, "status", "preview_reset"]


@pytest.mark.parametrize("taken", [1, 2, 3, 100, CHUNK_MESSAGES_MAX + 2])
async def test_a_viewer_who_comes_back_in_the_middle_of_an_opening_is_told_the_rest_of_it_and_what_changed(
    store: Store, live: Live, taken: int
) -> None:
    await start(store, LONG)
    cut_off = Watcher(store, live)
    cursor = (await cut_off.next())[taken - 1]["cursor"]
    seen = [each["message"]["id"] for each in cut_off.heard[:taken] if each["type"] == "message"]
    await transact(store, CHAT, step(says("something new")))

    back = Watcher(store, live, cursor)
    await all_of(back)

    first = LONG - CHUNK_MESSAGES_MAX + 1
    told = [event["message"]["id"] for event in back.heard if event["type"] == "message"]
    # Who was not told where the end begins is told it as it is now.
    begins = first if taken > 1 else first + 1
    assert seen + told == list(range(begins, LONG + 2))


async def test_what_followed_a_cursor_comes_in_chunks(store: Store, live: Live) -> None:
    await start(store, 1)
    viewer = Watcher(store, live)
    cursor = (await viewer.next())[-1]["cursor"]
    for n in range(LONG):
        await transact(store, CHAT, step(says(f"step {n}")))

    back = Watcher(store, live, cursor)
    batches = await all_of(back)

    assert [len(batch) for batch in batches] == [CHUNK_MESSAGES_MAX, CHUNK_MESSAGES_MAX, 50 + 1]
    told = [event["message"]["id"] for event in back.heard if event["type"] == "message"]
    assert told == list(range(2, LONG + 2))


async def test_a_viewer_who_breaks_off_between_chunks_goes_on_there(store: Store, live: Live) -> None:
    await start(store, LONG)
    viewer = Watcher(store, live)
    cursor = (await viewer.next())[-1]["cursor"]
    await transact(store, CHAT, EditMessage(message_id=MessageId(2), content=said("rather"), created_by=None))
    taken: list[dict[str, Any]] = []
    while not taken or taken[-1]["type"] != "preview_reset":
        taken += (await Watcher(store, live, cursor).next())[:70]
        cursor = taken[-1]["cursor"]

    assert [each["message_id"] for each in taken if "message_id" in each] == list(range(2, LONG + 1))
    assert [each["message"]["id"] for each in taken if "message" in each] == [LONG + 1]


async def test_a_made_up_cursor_is_answered_in_chunks_too(store: Store, live: Live) -> None:
    await start(store, LONG)
    made_up = cursor_of(CHAT, Known(history=1, saved=OPENING))

    viewer = Watcher(store, live, made_up)

    assert [batch.count("message") for batch in await all_of(viewer)] == [200, 200, 50]


async def test_a_message_is_encoded_once_for_all_who_look(store: Store, live: Live) -> None:
    await start(store, 1)
    message = (await list_messages(store.db, CHAT, limit=1)).messages[0]
    encoded = Encoded()

    assert encoded.view(CHAT, message) is encoded.view(CHAT, message)


def unnamed(chat_id: ChatId, message: Message) -> MessageView:
    return replace(message_view(chat_id, message), created_by=None)


@pytest.mark.parametrize(
    ("shapes", "shown", "name"),
    [(FULL, ChatDetails, OWNER), (replace(RESTRICTED, message=unnamed), SharedDetails, None)],
    ids=["full", "restricted"],
)
async def test_viewers_are_shown_what_the_shapes_of_their_kind_have(
    store: Store, live: Live, shapes: Shapes, shown: type, name: str | None
) -> None:
    await create_chat(store, create(replace(user("hello"), created_by=OWNER)))
    await transact(store, CHAT, DescribeChat(details=Details(labels={"team": "a"})))

    batch = await anext(watch(store, live.board, live.clock, CHAT, cursor=None, bell=Bell(), shapes=shapes))

    assert [type(event.chat) for event in batch.events if isinstance(event, ChatDescribed)] == [shown]
    told = [event.message for event in batch.events if isinstance(event, MessageSaved)]
    assert [message.created_by for message in told] == [name]


async def test_encoded_messages_are_kept_while_there_is_room(store: Store, live: Live) -> None:
    await start(store, 3, characters=100)
    one, two, three = (await list_messages(store.db, CHAT, limit=3)).messages
    encoded = Encoded(bytes_max=2 * memoryview(Encoded().view(CHAT, one)).nbytes)
    first, second = encoded.view(CHAT, one), encoded.view(CHAT, two)
    assert encoded.view(CHAT, one) is first

    encoded.view(CHAT, three)

    assert encoded.view(CHAT, one) is first
    assert encoded.view(CHAT, two) is not second
