from base64 import urlsafe_b64encode
from typing import Any

import pytest

from chatd.domain.call import CallState, Plan
from chatd.domain.ids import CallId, ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.traceability import proves
from tests.words import call, create, says, send, step


def titles(page: Any) -> list[str]:
    return [chat["title"] for chat in page["chats"]]


async def start_many(client: Client, clock: MovedClock, count: int) -> list[str]:
    """The newest first, as they will be listed."""
    for n in range(count):
        await client.start_chat(f"chat {n}")
        await clock.advance(1)
    return [f"chat {n}" for n in reversed(range(count))]


async def test_chats_are_listed_with_the_newest_first(client: Client, clock: MovedClock) -> None:
    expected = await start_many(client, clock, 3)

    page = (await client.get(CHATS)).json

    assert titles(page) == expected
    assert "next" not in page


@proves("api", 15)
async def test_three_pages_lose_and_repeat_nothing(client: Client, clock: MovedClock) -> None:
    expected = await start_many(client, clock, 7)
    # Two of the same instant, at the border of a page.
    await client.start_chat("twin")
    await client.start_chat("twin")

    seen: list[Any] = []
    sizes: list[int] = []
    more: dict[str, str] = {}
    while True:
        page = (await client.get(CHATS, limit=3, **more)).json
        seen += page["chats"]
        sizes.append(len(page["chats"]))
        if "next" not in page:
            break
        more = {"cursor": page["next"]}

    assert sizes == [3, 3, 3]
    assert titles({"chats": seen}) == ["twin", "twin", *expected]
    assert len({chat["id"] for chat in seen}) == 9


async def test_a_chat_that_begins_while_someone_pages_moves_nothing(
    client: Client, clock: MovedClock
) -> None:
    expected = await start_many(client, clock, 4)
    first = (await client.get(CHATS, limit=2)).json
    await client.start_chat("a late one")

    second = (await client.get(CHATS, limit=2, cursor=first["next"])).json

    assert titles(first) + titles(second) == expected


async def test_pinned_chats_come_first_in_their_order(client: Client, clock: MovedClock) -> None:
    await start_many(client, clock, 4)
    by_title = {chat["title"]: chat["id"] for chat in (await client.get(CHATS)).json["chats"]}
    await client.patch(f"{CHATS}/{by_title['chat 0']}", {"pin_order": 2})
    await client.patch(f"{CHATS}/{by_title['chat 1']}", {"pin_order": 1})

    first = (await client.get(CHATS, limit=1)).json
    rest = (await client.get(CHATS, cursor=first["next"])).json

    assert titles(first) + titles(rest) == ["chat 1", "chat 0", "chat 3", "chat 2"]


async def test_a_title_is_found_by_any_part_of_it_in_any_case(client: Client) -> None:
    await client.start_chat("Über 100% of it")
    await client.start_chat("something else")

    assert titles((await client.get(CHATS, title="ÜBER")).json) == ["Über 100% of it"]
    assert titles((await client.get(CHATS, title="0% O")).json) == ["Über 100% of it"]
    assert titles((await client.get(CHATS, title="%")).json) == ["Über 100% of it"]
    assert titles((await client.get(CHATS, title="0_")).json) == []


async def test_all_labels_of_a_filter_must_match(client: Client) -> None:
    await client.start_chat("both", labels={"team": "blue", "kind": "bug:hard"})
    await client.start_chat("one", labels={"team": "blue"})
    await client.start_chat("none")

    assert set(titles((await client.get(CHATS, label="team:blue")).json)) == {"both", "one"}
    both = await client.get(CHATS, label=["team:blue", "kind:bug:hard"])
    assert titles(both.json) == ["both"]
    assert titles((await client.get(CHATS, label="team:red")).json) == []


@proves("api", 14)
async def test_archived_chats_are_a_list_of_their_own(client: Client, store: Store) -> None:
    kept, archived = await client.start_chat("kept"), await client.start_chat("archived")
    await transact(store, ChatId(archived["id"]), FinishTurn())
    await client.patch(f"{CHATS}/{archived['id']}", {"archived": True})

    assert titles((await client.get(CHATS)).json) == [kept["title"]]
    assert titles((await client.get(CHATS, archived="true")).json) == ["archived"]
    assert titles((await client.get(CHATS, archived="false")).json) == ["kept"]


async def test_a_list_has_no_chats_of_other_users(client: Client, stranger: Client, admin: Client) -> None:
    await client.start_chat()

    assert (await stranger.get(CHATS)).json == {"chats": []}
    assert (await admin.get(CHATS)).json == {"chats": []}


async def test_a_chat_shows_which_of_those_that_work_for_it_wait(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    await create_chat(store, create(chat_id="child", parent=chat["id"]))
    plan = Plan(call_id=CallId("c1"), state=CallState.NEEDS_APPROVAL)
    await transact(store, ChatId("child"), step(says("May I?", call("c1")), plans=(plan,)), RequireAction())

    (listed,) = (await client.get(CHATS)).json["chats"]
    shown = (await client.get(f"{CHATS}/{chat['id']}")).json

    assert chat["children"] == {"count": 0, "at_work": 0, "waiting": []}
    assert listed["children"] == shown["children"]
    assert (listed["children"]["count"], listed["children"]["at_work"]) == (1, 0)
    (waiting,) = listed["children"]["waiting"]
    assert waiting["chat_id"] == "child"
    assert [(each["tool_call_id"], each["kind"]) for each in waiting["waiting_for"]] == [("c1", "approval")]


async def test_a_listed_chat_shows_its_queue_and_what_it_waits_for(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    chat_id = ChatId(chat["id"])
    plan = Plan(call_id=CallId("c1"), state=CallState.NEEDS_APPROVAL)
    await transact(
        store, chat_id, send("and then?"), step(says("May I?", call("c1")), plans=(plan,)), RequireAction()
    )

    (listed,) = (await client.get(CHATS)).json["chats"]

    # What the chat is set up with is shown when one looks at it.
    assert listed.items() <= (await client.get(f"{CHATS}/{chat_id}")).json.items()
    assert [row["content"] for row in listed["queue"]] == [[{"type": "text", "text": "and then?"}]]
    assert listed["waiting_for"] == [
        {
            "tool_call_id": "c1",
            "message_id": 3,
            "tool_name": "read_file",
            "args": None,
            "kind": "approval",
            "deadline": None,
            "approval": {
                "programs": [],
                "unsure": None,
                "danger": None,
                "reads": [],
                "writes": [],
                "hosts": [],
                "preview": None,
                "scopes": [{"scope": "once", "rules": []}],
            },
        }
    ]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("limit", "0"),
        ("limit", "201"),
        ("limit", "many"),
        ("limit", ""),
        ("archived", "maybe"),
        ("label", "no-colon"),
        ("label", ":value"),
        ("label", "key:"),
        ("label", "key:a\0b"),
        ("title", "a\0b"),
        ("title", "t" * 201),
        ("cursor", ""),
        ("cursor", "nonsense"),
        ("cursor", "c" * 1000),
        ("cursor", urlsafe_b64encode(b'{"a":1}').decode()),
        ("cursor", urlsafe_b64encode(b'[true,0,9223372036854775809,"x"]').decode()),
        ("cursor", urlsafe_b64encode(b'[true,0,0,"\\u0000"]').decode()),
        ("cursor", "ä"),
    ],
)
async def test_a_parameter_outside_its_limits_is_named(client: Client, parameter: str, value: str) -> None:
    answer = await client.get(CHATS, **{parameter: value})

    assert (answer.status, answer.error["field"]) == (400, parameter)


async def test_two_values_for_one_label_are_refused(client: Client) -> None:
    answer = await client.get(CHATS, label=["key:a", "key:b"])

    assert (answer.status, answer.error["field"]) == (400, "label")


async def test_a_search_has_as_many_labels_as_a_chat_can_have(client: Client) -> None:
    labels = [f"key{number}:value" for number in range(51)]
    assert (await client.get(CHATS, label=labels[:50])).status == 200

    answer = await client.get(CHATS, label=labels)

    assert (answer.status, answer.error["field"]) == (400, "label")


async def test_of_many_unknown_parameters_a_few_are_named(client: Client) -> None:
    answer = await client.get(CHATS, **{f"unknown{number}": "x" for number in range(1000)})

    assert answer.error["code"] == "unknown_parameter"
    assert len(answer.error["message"]) < 1000


async def test_unknown_parameters_are_all_named(client: Client) -> None:
    answer = await client.get(CHATS, limits=3, offset=4)

    assert answer.status == 400
    assert answer.error["message"] == "There is no query parameter `limits`, `offset` here."
    assert answer.error["hint"] == "Did you mean `limit`?"


async def test_a_parameter_given_twice_is_refused(client: Client) -> None:
    answer = await client.get(CHATS, limit=[1, 2])

    assert (answer.status, answer.error["field"]) == (400, "limit")
