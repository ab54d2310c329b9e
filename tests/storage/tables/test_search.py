"""Searching chats by words, on both databases."""

from typing import Any

import pytest
from msgspec.structs import replace

from chatd.domain.decision.change import Details
from chatd.domain.ids import BranchId, ChatId, MessageId, UserId
from chatd.domain.message import Visibility
from chatd.domain.part import Reasoning
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.kit.words import terms_of
from chatd.storage.database import Database
from chatd.storage.tables import search
from chatd.storage.tables.search import Filter, FoundPage, find_chats, index_chat
from chatd.storage.transactions.families import archive_family
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from chatd.worker.search_index import index_all
from tests.clock import HurriedClock, MovedClock
from tests.words import OWNER, call, create, said, says, send, step, summary, user

CHAT = ChatId("chat")
OTHER = UserId("other")


async def look(
    database: Database,
    words: str,
    *,
    owner: UserId = OWNER,
    before: int | None = None,
    limit: int = 50,
    **asked: Any,
) -> FoundPage:
    await index_all(database, HurriedClock())
    among = Filter(owner_id=owner, **asked)
    return await find_chats(database, among, terms_of(words), before=before, limit=limit)


async def found(database: Database, words: str, **asked: Any) -> list[tuple[str, int | None]]:
    return [(each.chat.id, each.message_id) for each in (await look(database, words, **asked)).found]


async def test_a_chat_is_found_by_the_words_of_a_message(store: Store, database: Database) -> None:
    await create_chat(store, create(user("Where is the harbour?")))
    await transact(store, CHAT, step(says("The Harbour is south of the old TOWN.")), FinishTurn())

    page = await look(database, "town harbour")

    assert [(each.message_id, each.snippet) for each in page.found] == [
        (2, "The Harbour is south of the old TOWN.")
    ]
    assert page.next is None


async def test_words_of_different_messages_are_not_found_together(store: Store, database: Database) -> None:
    await create_chat(store, create(user("apple")))
    await transact(store, CHAT, step(says("pear")), FinishTurn())

    assert await found(database, "apple pear") == []


async def test_a_chat_is_found_once_by_its_newest_message(
    store: Store, database: Database, clock: MovedClock
) -> None:
    for name in ("first", "second"):
        await create_chat(store, create(user("tea"), chat_id=name))
        await clock.advance(1)
    await transact(store, ChatId("first"), step(says("more tea")), FinishTurn())

    assert await found(database, "tea") == [("first", 2), ("second", 1)]


async def test_a_title_is_found_and_found_no_more_when_it_was_changed(
    store: Store, database: Database
) -> None:
    await create_chat(store, replace(create(user("hello")), title="Crème for guests"))
    page = await look(database, "creme")
    await transact(store, CHAT, DescribeChat(details=Details(title="Cake")))

    assert [(each.message_id, each.snippet) for each in page.found] == [(None, "Crème for guests")]
    assert await found(database, "creme") == []
    assert await found(database, "cake") == [("chat", None)]


async def test_only_what_people_see_is_found(store: Store, database: Database) -> None:
    hidden = user("secretly", visibility=Visibility.MODEL)
    await create_chat(store, create(hidden, user("hello")))
    thought = Reasoning(text="pondering")
    await transact(store, CHAT, step(says("hi", thought, call("c", args={"path": "argued"}))))

    for word in ("secretly", "pondering", "argued", "text", "both", "assistant"):
        assert await found(database, word) == []
    assert await found(database, "hi") == [("chat", 2 + 1)]


async def test_a_summary_is_not_found_but_what_it_sums_up_is(store: Store, database: Database) -> None:
    await create_chat(store, create(user("original")))
    await transact(store, CHAT, step(says("reply")), step(*summary("condensed")), FinishTurn())

    assert await found(database, "condensed") == []
    assert await found(database, "original") == [("chat", 1)]


async def test_a_message_that_an_edit_left_is_found_only_in_its_branch(
    store: Store, database: Database
) -> None:
    await create_chat(store, create(user("before")))
    await transact(store, CHAT, step(says("ok")), FinishTurn())
    assert await found(database, "before") == [("chat", 1)]
    await transact(store, CHAT, EditMessage(message_id=MessageId(1), content=said("after")))
    await transact(store, CHAT, step(says("fine")), FinishTurn())

    assert await found(database, "before") == []
    assert await found(database, "after") == [("chat", 3)]
    await transact(store, CHAT, SwitchBranch(branch=BranchId(1)))
    assert await found(database, "before") == [("chat", 1)]
    assert await found(database, "after") == []


async def test_a_message_that_just_left_the_history_is_not_found_through_an_old_index(
    store: Store, database: Database
) -> None:
    await create_chat(store, create(user("before")))
    await transact(store, CHAT, step(says("ok")), FinishTurn())
    await index_all(database, HurriedClock())
    await transact(store, CHAT, EditMessage(message_id=MessageId(1), content=said("after")))

    page = await find_chats(database, Filter(owner_id=OWNER), terms_of("before"), limit=5)

    assert page.found == ()


async def test_only_the_owner_finds_a_chat(store: Store, database: Database) -> None:
    await database.write(lambda tx: tx.run("insert_user", OTHER, "other", "member"))
    await create_chat(store, create(user("ours")))
    await create_chat(store, replace(create(user("ours"), chat_id="theirs"), owner_id=OTHER))

    assert await found(database, "ours") == [("chat", 1)]
    assert await found(database, "ours", owner=OTHER) == [("theirs", 1)]
    # Not even by the word that stands for the owner in the index.
    assert await found(database, search.owner_word(OTHER)) == []


async def test_other_filters_count_as_well(store: Store, database: Database) -> None:
    for name in ("plain", "labelled", "archived", "child"):
        parent = "plain" if name == "child" else None
        labels = {"team": "a"} if name == "labelled" else {}
        command = replace(create(user("needle"), chat_id=name, parent=parent), title=name, labels=labels)
        await create_chat(store, command, FinishTurn())
    await archive_family(store, ChatId("archived"), Archive())

    assert {chat for chat, _ in await found(database, "needle")} == {"plain", "labelled"}
    assert await found(database, "needle", archived=True) == [("archived", 1)]
    assert await found(database, "needle", labels={"team": "a"}) == [("labelled", 1)]
    assert await found(database, "needle", title="LAIN") == [("plain", 1)]


async def test_a_deleted_chat_leaves_no_word_behind(store: Store, database: Database) -> None:
    await create_chat(store, replace(create(user("needle")), title="hay"))
    assert await found(database, "needle") == [("chat", 1)]

    await delete_chat(store, CHAT)

    assert await found(database, "needle") == []
    for table in ("search_words", "search_documents", "search_progress"):
        assert await rows_in(database, table) == 0


async def rows_in(database: Database, table: str) -> int:
    count = 0

    async def body(tx: Any) -> None:
        nonlocal count
        raw = tx._raw
        sql = f"SELECT count(*) FROM {table}"  # noqa: S608 - a name of ours
        count = (
            raw.execute(sql).fetchone()[0] if hasattr(raw, "in_transaction") else (await raw.fetchval(sql))
        )

    await database.read(body)
    return count


async def test_pages_lose_and_repeat_no_chat(store: Store, database: Database, clock: MovedClock) -> None:
    for name in "abcdefg":
        await create_chat(store, create(user("needle"), chat_id=name), FinishTurn())
        await clock.advance(1)
    # Found again and again, but in its first place only.
    for name in ("b", "g", "b"):
        await transact(store, ChatId(name), send("needle"), step(says("needle")), FinishTurn())
        await clock.advance(1)

    seen: list[str] = []
    before = None
    while True:
        page = await look(database, "needle", before=before, limit=2)
        seen += [each.chat.id for each in page.found]
        if (before := page.next) is None:
            break

    assert seen == ["b", "g", "f", "e", "d", "c", "a"]


async def test_a_search_looks_at_so_many_messages_for_one_page(
    store: Store, database: Database, clock: MovedClock
) -> None:
    # More than are looked at for a page of one chat: two, then twice as many each time.
    most = 1400
    assert (
        sum(min(2**n, search.DOCUMENTS_AT_ONCE_MAX) for n in range(1, search.LOOKS_PER_PAGE_MAX + 1)) < most
    )
    await create_chat(store, create(user("needle"), chat_id="old"), FinishTurn())
    await clock.advance(1)
    await create_chat(store, create(*(user("needle"),) * (most + 1), chat_id="chatty"), FinishTurn())

    first = await look(database, "needle", limit=1)
    second = await look(database, "needle", before=first.next, limit=1)

    assert [each.chat.id for each in first.found] == ["chatty"]
    assert first.next is not None
    assert [each.chat.id for each in second.found] == ["old"]


async def test_a_page_is_full_where_every_chat_has_the_word_very_often(
    store: Store, database: Database, clock: MovedClock
) -> None:
    """What the first chats took tells how many messages to look at for the others."""
    page, often = 20, 140
    for number in range(page):
        messages = (user("needle"),) * often
        await create_chat(store, create(*messages, chat_id=f"chat-{number}"), FinishTurn())
        await clock.advance(1)

    assert len((await look(database, "needle", limit=page)).found) == page


async def test_a_long_chat_is_indexed_in_several_transactions(store: Store, database: Database) -> None:
    many = tuple(user(f"number{n}") for n in range(search.MESSAGES_AT_ONCE + 1))
    await create_chat(store, create(*many), FinishTurn())

    assert await index_chat(database, CHAT)
    assert not await index_chat(database, CHAT)
    last = search.MESSAGES_AT_ONCE
    assert await found(database, f"number{last}") == [("chat", last + 1)]


async def test_two_servers_that_index_the_same_chat_do_it_once(store: Store, database: Database) -> None:
    await create_chat(store, create(user("needle")))
    state = await database.read(lambda tx: search._read_state(tx, CHAT))
    assert state is not None
    await index_chat(database, CHAT)

    await database.write(lambda tx: search._write_documents(tx, state, []))

    assert await found(database, "needle") == [("chat", 1)]


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a OR b",
        "a AND NOT b",
        "a*",
        "NEAR(a b)",
        "words:a",
        "'a' & 'b'",
        "a:*",
        "\\",
        "a\x00b",
        "-a",
        "(a",
    ],
)
async def test_nothing_in_a_query_is_an_operator(store: Store, database: Database, query: str) -> None:
    await create_chat(store, create(user(f"here: {query}")))

    if terms_of(query):
        assert await found(database, query) == [("chat", 1)]
