"""Nothing beyond what a link includes and what was there when it was made; neither saved nor being said."""

import json
from itertools import combinations
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.domain.decision.change import Details
from chatd.domain.ids import BranchId, ChatId, MessageId, UserId
from chatd.domain.people.links import Included
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.kit.clock import rfc3339
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.api.guests.scene import MARKS, Scene, everything
from tests.api.guests.words import Guest, make_link, words_in
from tests.clock import START_MICROS
from tests.traceability import proves
from tests.words import said, says, send, step

SIZES = range(len(Included) + 1)
EVERY_INCLUDE = [frozenset(some) for size in SIZES for some in combinations(Included, size)]


@pytest.fixture
async def scene(client: Client, store: Store, owner: UserId) -> Scene:
    return await everything(client, store, owner)


@proves("people", 30)
@pytest.mark.parametrize("live", [False, True], ids=["up to now", "live"])
@pytest.mark.parametrize("include", EVERY_INCLUDE, ids=lambda each: "+".join(sorted(each)) or "words")
async def test_a_guest_sees_what_the_link_includes_and_nothing_else(
    app: ASGIApp,
    client: Client,
    scene: Scene,
    include: frozenset[Included],
    live: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    code = (await make_link(client, scene.chat_id, live=live, include=sorted(include)))["code"]
    guest = Guest(app, code)

    pages = [json.dumps(await guest.messages(f"?limit={limit}")) for limit in (1, 200)]
    told = {
        "chat": json.dumps(await guest.chat()),
        "messages": pages[-1],
        "stream": json.dumps(await guest.events()),
    }

    visible = {mark for mark, needed in MARKS.items() if needed is not None and needed <= include}
    for name in ("messages", "stream"):
        assert {mark for mark in MARKS if mark in told[name]} == visible, name
    assert not [mark for mark in MARKS if mark in told["chat"]]
    # Nor who owns it, which one it is, and how many things it counts.
    for hidden in (scene.chat_id, "owner_id", "cursor", "seq", "history_version", "revision"):
        assert not [name for name, text in told.items() if hidden in text], hidden


async def test_a_guest_is_told_what_the_chat_is_called_and_by_whom_it_was_shared(
    app: ASGIApp, store: Store, client: Client, scene: Scene
) -> None:
    code = (await make_link(client, scene.chat_id, include=["files", "tools"]))["code"]
    expected = {
        "title": "A title",
        "owner_name": "",
        "live": False,
        "include": ["files", "tools"],
        "expires_at": rfc3339(START_MICROS + 7 * 24 * 3600 * 1_000_000),
    }
    assert await Guest(app, code).chat() == expected

    # A name to sign in with is nobody's business.
    await client.patch("/api/v1/users/me", {"display_name": "Olivia"})
    await transact(store, ChatId(scene.chat_id), DescribeChat(details=Details(title="Another")))
    assert await Guest(app, code).chat() == {**expected, "title": "Another", "owner_name": "Olivia"}


async def test_a_message_without_anything_to_show_leaves_no_trace(
    app: ASGIApp, client: Client, scene: Scene
) -> None:
    """Of the calls, results, notices and summaries in between nobody can tell that they are there."""
    guest = Guest(app, (await make_link(client, scene.chat_id))["code"])

    messages = await guest.messages()
    assert [words_in(each) for each in messages] == [
        ["MARK-question"],
        ["MARK-beside-a-call"],
        ["MARK-answer"],
    ]
    assert {len(each["id"]) for each in messages} == {22}
    assert [set(each) for each in messages] == [{"id", "role", "content", "created_at"}] * 3
    # One at a time: none is empty, and none is short.
    page: Any = {"next": ""}
    one_by_one: list[Any] = []
    while (next_ := page["next"]) is not None:
        page = (await guest.get("messages?limit=1" + (f"&before={next_}" if next_ else ""))).json
        assert len(page["messages"]) == 1
        one_by_one += page["messages"]
    assert one_by_one == messages[::-1]


async def test_two_links_of_a_chat_call_its_messages_differently(
    app: ASGIApp, client: Client, scene: Scene
) -> None:
    one, other = [Guest(app, (await make_link(client, scene.chat_id))["code"]) for _ in range(2)]
    of_one, of_other = [{each["id"] for each in await guest.messages()} for guest in (one, other)]

    assert of_one.isdisjoint(of_other)
    strange = await other.get(f"messages?before={of_one.pop()}")
    assert (strange.status, strange.error["code"]) == (400, "bad_cursor")


@proves("people", 30)
async def test_a_link_shows_what_was_there_and_a_live_one_follows_on(
    app: ASGIApp, store: Store, client: Client
) -> None:
    chat_id = ChatId((await client.start_chat("hello"))["id"])
    now = Guest(app, (await make_link(client, chat_id))["code"])
    live = Guest(app, (await make_link(client, chat_id, live=True))["code"])
    # In the middle of the turn: what it comes to is not part of it.
    await transact(store, chat_id, step(says("hi")), FinishTurn())
    await transact(store, chat_id, send("and then?"))

    assert await now.said() == ["hello"]
    assert await live.said() == ["hello", "hi", "and then?"]
    assert [each["type"] for each in await now.events()] == ["chat", "message"]


@proves("people", 30)
async def test_what_leaves_the_history_is_gone_for_guests_and_what_comes_instead_is_for_live_ones(
    app: ASGIApp, store: Store, client: Client
) -> None:
    chat_id = await _edited(client, store)
    # On the branch of the edit, with another one left behind.
    now = Guest(app, (await make_link(client, chat_id))["code"])
    live = Guest(app, (await make_link(client, chat_id, live=True))["code"])
    assert await now.said() == await live.said() == ["rather this", "as you like"]

    await transact(store, chat_id, EditMessage(message_id=MessageId(3), content=said("or that")))
    assert await now.said() == []
    assert await live.said() == ["or that"]

    await transact(store, chat_id, FinishTurn())
    await transact(store, chat_id, SwitchBranch(branch=BranchId(2)))
    assert await now.said() == await live.said() == ["rather this", "as you like"]


@proves("people", 30)
async def test_a_branch_that_was_left_before_the_making_stays_unseen_when_the_owner_goes_back_to_it(
    app: ASGIApp, store: Store, client: Client
) -> None:
    chat_id = await _edited(client, store)
    now = Guest(app, (await make_link(client, chat_id))["code"])
    live = Guest(app, (await make_link(client, chat_id, live=True))["code"])

    await transact(store, chat_id, SwitchBranch(branch=BranchId(1)))

    # Its messages are older than the link.
    found = await read_everything(store.db, chat_id)
    assert found is not None
    assert max(each.id for each in found.messages if not each.deleted) < found.chat.last_number
    assert await now.said() == []
    assert [each["type"] for each in await now.events()] == ["chat"]
    assert await live.said() == ["hello", "hi"]


async def test_a_link_that_is_narrowed_shows_less_at_once(app: ASGIApp, client: Client, scene: Scene) -> None:
    made = await make_link(client, scene.chat_id, live=True, include=["reasoning", "tools"])
    guest, path = Guest(app, made["code"]), f"{CHATS}/{scene.chat_id}/links/{made['id']}"
    assert "MARK-thought" in json.dumps(await guest.messages())

    await client.patch(path, {"include": []})
    assert "MARK-thought" not in json.dumps(await guest.messages())
    await client.patch(path, {"live": False})
    await client.post(f"{CHATS}/{scene.chat_id}/messages", {"content": [{"type": "text", "text": "later"}]})
    assert (await guest.said())[-1] == "MARK-answer"


async def test_a_long_chat_is_told_from_its_end_and_the_rest_is_asked_for(
    app: ASGIApp, store: Store, client: Client
) -> None:
    chat_id = ChatId((await client.start_chat("number 0"))["id"])
    for number in range(1, 80):
        await transact(store, chat_id, step(says(f"number {number}")))
    guest = Guest(app, (await make_link(client, chat_id))["code"])

    events = await guest.events()
    assert [each["type"] for each in events] == ["chat", "older_messages", *["message"] * 50]
    rest = await guest.messages(f"?before={events[1]['before']}")
    told = [*rest, *(each["message"] for each in events[2:])]
    assert ["".join(words_in(each)) for each in told] == [f"number {number}" for number in range(80)]


async def _edited(client: Client, store: Store) -> ChatId:
    chat_id = ChatId((await client.start_chat("hello"))["id"])
    await transact(store, chat_id, step(says("hi")), FinishTurn())
    await transact(store, chat_id, EditMessage(message_id=MessageId(1), content=said("rather this")))
    await transact(store, chat_id, step(says("as you like")), FinishTurn())
    return chat_id
