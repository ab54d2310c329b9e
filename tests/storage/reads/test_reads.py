"""Snapshots for viewers, histories for prompts, pages for people."""

from typing import Any

import pytest
from msgspec.structs import replace

from chatd.domain.decision.change import Details
from chatd.domain.ids import BranchId, ChatId, MessageId, UserId
from chatd.domain.message import Message, Visibility
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.database import Database
from chatd.storage.reads.read import (
    Snapshot,
    list_branches,
    list_chats,
    list_messages,
    read_history,
    read_snapshot,
)
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.words import OWNER, call, client_call, create, said, says, send, step, summary, user, words_of

CHAT = ChatId("chat")


async def listed(db: Database, **asked: Any) -> tuple[tuple[Message, ...], bool]:
    page = await list_messages(db, CHAT, **asked)
    return page.messages, page.has_more


async def snapshot(database: Database, since: int = -1, queue_since: int = -1) -> Snapshot:
    found = await read_snapshot(database, CHAT, since=since, queue_since=queue_since)
    assert found is not None
    return found


def lines(messages: tuple[Message, ...]) -> list[str]:
    return [words_of(message) for message in messages]


async def a_conversation(store: Store) -> None:
    await create_chat(store, create(user("hello")))
    await transact(store, CHAT, step(says("hi")), FinishTurn())
    await transact(store, CHAT, send("and now?"))
    await transact(store, CHAT, step(says("well")), FinishTurn())


async def test_a_new_viewer_gets_everything(store: Store, database: Database) -> None:
    await a_conversation(store)

    seen = await snapshot(database)

    assert lines(seen.opened) == ["user: hello", "assistant: hi", "user: and now?", "assistant: well"]
    assert (seen.messages, seen.deleted, seen.older) == ((), (), False)
    assert seen.queue == ()


async def test_a_viewer_who_returns_gets_only_what_is_new(store: Store, database: Database) -> None:
    await a_conversation(store)
    known = (await snapshot(database)).chat.versions
    await transact(store, CHAT, send("more"))

    seen = await snapshot(database, known.history, known.queue)

    assert lines(seen.messages) == ["user: more"]
    assert seen.queue is None


async def test_a_viewer_who_missed_nothing_gets_nothing(store: Store, database: Database) -> None:
    await a_conversation(store)
    known = (await snapshot(database)).chat.versions

    seen = await snapshot(database, known.history, known.queue)

    assert (seen.messages, seen.deleted, seen.queue) == ((), (), None)


async def test_an_edit_reaches_a_viewer_as_tombstones_and_new_messages(
    store: Store, database: Database
) -> None:
    await a_conversation(store)
    known = (await snapshot(database)).chat.versions
    await transact(store, CHAT, EditMessage(message_id=MessageId(3), content=said("and then?")))

    seen = await snapshot(database, known.history)

    assert lines(seen.messages) == ["user: and then?"]
    assert seen.deleted == (3, 4)


async def test_switching_back_reaches_a_viewer_both_ways(store: Store, database: Database) -> None:
    await a_conversation(store)
    await transact(store, CHAT, EditMessage(message_id=MessageId(3), content=said("and then?")))
    await transact(store, CHAT, FinishTurn())
    known = (await snapshot(database)).chat.versions
    await transact(store, CHAT, SwitchBranch(branch=BranchId(1)))

    seen = await snapshot(database, known.history)

    assert lines(seen.messages) == ["user: and now?", "assistant: well"]
    assert seen.deleted == (5,)


async def test_a_changed_queue_is_shown_whole(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, send("a"))
    known = (await snapshot(database)).chat.versions
    await transact(store, CHAT, send("b"))

    seen = await snapshot(database, known.history, known.queue)

    assert [row.content for row in seen.queue or ()] == [said("a"), said("b")]


async def test_a_viewer_sees_what_the_chat_waits_for(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, step(says("look", call("a"), client_call("tab"))))
    await transact(store, CHAT, RequireAction())

    assert [waiting.id for waiting in (await snapshot(database)).waiting_for] == ["tab"]


async def test_what_is_for_the_model_alone_reaches_no_viewer(store: Store, database: Database) -> None:
    hidden = replace(user("secret context"), visibility=Visibility.MODEL)
    await create_chat(store, create(hidden, user("hello")))
    await transact(store, CHAT, step(replace(says("hi"), internal={"signature": "abc"})))

    seen = await snapshot(database)
    page, _ = await listed(database, limit=10)

    assert lines(seen.opened) == ["user: hello", "assistant: hi"]
    assert [message.internal for message in (*seen.opened, *page)] == [None] * 4


async def test_a_prompt_has_what_the_model_may_see_and_grows_by_what_is_new(
    store: Store, database: Database
) -> None:
    await create_chat(store, create(replace(user("context"), visibility=Visibility.MODEL), user("hello")))
    await transact(store, CHAT, step(replace(says("hi"), internal={"signature": "abc"})))
    first = await read_history(database, CHAT)
    assert first is not None
    assert lines(first.messages) == ["user: context", "user: hello", "assistant: hi"]
    assert first.messages[-1].internal == {"signature": "abc"}

    await transact(store, CHAT, step(*summary("so far")))
    await transact(store, CHAT, EditMessage(message_id=MessageId(2), content=said("hey")))
    later = await read_history(database, CHAT, since=first.version)

    assert later is not None
    assert lines(later.messages) == ["user: hey"]
    assert set(later.deleted) >= {2, 3}


async def test_a_chat_that_is_not_there_reads_as_nothing(database: Database) -> None:
    assert await read_snapshot(database, CHAT) is None
    assert await read_history(database, CHAT) is None


async def test_messages_come_in_pages_newest_first(store: Store, database: Database) -> None:
    await create_chat(store, create(*[user(f"{n}") for n in range(1, 8)]))

    page, more = await listed(database, limit=3)
    assert (lines(page), more) == (["user: 7", "user: 6", "user: 5"], True)

    page, more = await listed(database, before=page[-1].id, limit=3)
    assert (lines(page), more) == (["user: 4", "user: 3", "user: 2"], True)

    page, more = await listed(database, before=page[-1].id, limit=3)
    assert (lines(page), more) == (["user: 1"], False)


async def test_who_follows_a_chat_reads_upwards_without_a_gap(store: Store, database: Database) -> None:
    await create_chat(store, create(*[user(f"{n}") for n in range(1, 8)]))

    page, more = await listed(database, after=MessageId(2), limit=3)
    assert (lines(page), more) == (["user: 3", "user: 4", "user: 5"], True)

    between, _ = await listed(database, after=MessageId(2), before=MessageId(5), limit=9)
    assert lines(between) == ["user: 4", "user: 3"]


async def test_a_branch_that_was_left_can_be_read(store: Store, database: Database) -> None:
    await a_conversation(store)
    await transact(store, CHAT, EditMessage(message_id=MessageId(3), content=said("and then?")))
    await transact(store, CHAT, EditMessage(message_id=MessageId(1), content=said("hey")))

    async def branch(number: int) -> list[str]:
        page, _ = await listed(database, branch=BranchId(number), after=MessageId(0), limit=9)
        return lines(page)

    assert await branch(1) == ["user: hello", "assistant: hi", "user: and now?", "assistant: well"]
    assert await branch(2) == ["user: hello", "assistant: hi", "user: and then?"]
    assert await branch(3) == ["user: hey"]
    assert [row.parent_id for row in await list_branches(database, CHAT)] == [1, 2]
    downwards, more = await listed(database, branch=BranchId(1), limit=2)
    assert (lines(downwards), more) == (["assistant: well", "user: and now?"], True)


async def test_three_pages_of_chats_have_every_chat_once(
    store: Store, database: Database, clock: MovedClock
) -> None:
    for n in range(7):
        await create_chat(store, create(chat_id=f"chat {n}"))
        await clock.advance(n % 3)
    for name, pin in (("chat 2", 2), ("chat 5", 1)):
        await transact(store, ChatId(name), DescribeChat(details=Details(pin_order=pin)))

    found: list[str] = []
    place = None
    for _ in range(3):
        page = await list_chats(database, OWNER, archived=False, after=place, limit=3)
        found += [chat.id for chat in page.chats]
        place = page.next

    assert place is None
    assert found[:2] == ["chat 5", "chat 2"]
    assert sorted(found) == [f"chat {n}" for n in range(7)]


async def test_chats_with_something_unread_are_a_list_of_their_own(store: Store, database: Database) -> None:
    for name in ("read", "unread", "asked"):
        await create_chat(store, create(chat_id=name))
    for name in ("read", "unread"):
        await transact(store, ChatId(name), step(says("done")), FinishTurn())
    await transact(store, ChatId("read"), DescribeChat(details=Details(read_id=MessageId(9))))

    async def found(*, unread: bool | None) -> set[str]:
        page = await list_chats(database, OWNER, archived=False, unread=unread, limit=9)
        assert unread is None or all(chat.has_unread is unread for chat in page.chats)
        return {chat.id for chat in page.chats}

    assert await found(unread=True) == {"unread"}
    assert await found(unread=False) == {"read", "asked"}
    assert await found(unread=None) == {"read", "unread", "asked"}


async def test_chats_are_listed_newest_first(store: Store, database: Database, clock: MovedClock) -> None:
    for name in ("old", "new"):
        await create_chat(store, create(chat_id=name))
        await clock.advance(1)
    await transact(store, ChatId("old"), send("up again"))

    page = await list_chats(database, OWNER, archived=False, limit=5)

    assert [chat.id for chat in page.chats] == ["old", "new"]


@pytest.mark.parametrize(
    ("title", "found"),
    [("plan", ["a"]), ("GRÜSSE", ["b"]), ("100%", ["c"]), ("_", []), ("%", ["c"]), ("", ["a", "b", "c"])],
)
async def test_a_title_is_found_by_any_part_of_it(
    store: Store, database: Database, title: str, found: list[str]
) -> None:
    for name, words in (("a", "The Plan"), ("b", "Grüße"), ("c", "100% done")):
        await create_chat(store, replace(create(chat_id=name), title=words))

    page = await list_chats(database, OWNER, archived=False, title=title, limit=5)

    assert sorted(chat.id for chat in page.chats) == found


async def test_all_labels_must_match(store: Store, database: Database) -> None:
    await create_chat(store, replace(create(chat_id="a"), labels={"team": "x", "env": "prod"}))
    await create_chat(store, replace(create(chat_id="b"), labels={"team": "x"}))

    async def labelled(labels: dict[str, str]) -> list[str]:
        page = await list_chats(database, OWNER, archived=False, labels=labels, limit=5)
        return sorted(chat.id for chat in page.chats)

    assert await labelled({"team": "x"}) == ["a", "b"]
    assert await labelled({"team": "x", "env": "prod"}) == ["a"]
    assert await labelled({"team": "y"}) == []


async def test_the_list_has_archived_chats_only_when_asked(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, FinishTurn(), Archive())

    assert (await list_chats(database, OWNER, archived=False, limit=5)).chats == ()
    assert len((await list_chats(database, OWNER, archived=True, limit=5)).chats) == 1


async def test_the_list_has_only_ones_own_chats_and_no_children(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await create_chat(store, create(chat_id="child", parent="chat"))

    assert [c.id for c in (await list_chats(database, OWNER, archived=False, limit=5)).chats] == ["chat"]
    assert (await list_chats(database, UserId("someone"), archived=False, limit=5)).chats == ()
