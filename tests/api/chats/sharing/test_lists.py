"""Lists and searches hold what the caller may read, and nothing else, on both databases."""

import random

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.permit import AdminsRead, Policy
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.kit.ids import new_id
from chatd.storage.tables.search import index_chat
from chatd.storage.transactions.transact import Store, create_chat
from tests.api.chats.sharing.words import a_group, share, somebody
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import user as user_says

USERS, CHATS_EACH, GROUPS, GRANTS = 5, 3, 3, 18


async def _listed(client: Client, **query: object) -> list[str]:
    """All pages."""
    found: list[str] = []
    cursor: str | None = None
    for _ in range(100):
        page = (await client.get(CHATS, limit=2, **query, **({"cursor": cursor} if cursor else {}))).json
        found += [chat["id"] for chat in page["chats"]]
        cursor = page.get("next")
        if cursor is None:
            return found
    raise AssertionError("a list without an end")


async def _chat(store: Store, owner_id: UserId, words: str = "parrot") -> str:
    chat_id = ChatId(new_id())
    command = CreateChat(id=chat_id, owner_id=owner_id, messages=(user_says(words),), title=f"About {words}")
    await create_chat(store, command)
    await index_chat(store.db, chat_id)
    return chat_id


@proves("people", 20)
@proves("api", 62)
@pytest.mark.parametrize("seed", [1, 2])
async def test_list_search_and_permit_agree_for_random_users_groups_and_grants(
    app: ASGIApp, store: Store, seed: int
) -> None:
    chance = random.Random(seed)
    people = [await somebody(app, store, f"user-{n}") for n in range(USERS)]
    groups = [await a_group(store, *(u.id for _, u in chance.sample(people, 2))) for _ in range(GROUPS)]
    chats = [(who, await _chat(store, user.id)) for who, user in people for _ in range(CHATS_EACH)]
    for _ in range(GRANTS):
        owner, chat_id = chance.choice(chats)
        subjects = [f"user/{u.id}" for c, u in people if c is not owner] + [f"group/{g}" for g in groups]
        subject = chance.choice([*subjects, "everyone/all"] if chance.random() < 0.1 else subjects)
        await share(owner, chat_id, subject, chance.choice(["reader", "writer"]))

    for who, _ in people:
        readable = {chat_id for _, chat_id in chats if (await who.get(f"{CHATS}/{chat_id}")).status == 200}
        mine = {chat_id for owner, chat_id in chats if owner is who}
        assert set(await _listed(who)) == mine
        listed = await _listed(who, source="shared")
        assert set(listed) == readable - mine
        assert len(listed) == len(set(listed))
        assert set(await _listed(who, source="shared", q="parrot")) == readable - mine
        assert set(await _listed(who, q="parrot")) == mine
        may = [c for _, c in chats if (await who.get("/api/v1/permits", chat=c)).status == 200]
        assert set(may) == readable


async def test_own_pins_and_unread_marks_order_and_filter_what_is_shared(
    app: ASGIApp, store: Store, client: Client
) -> None:
    anna, _ = await somebody(app, store, "anna")
    old, new = [(await client.start_chat(words))["id"] for words in ("old", "new")]
    for chat_id in (old, new):
        await share(client, chat_id, "user/anna")
    await client.put(f"{CHATS}/{new}/mark", {"pin_order": 9})

    await anna.put(f"{CHATS}/{old}/mark", {"pin_order": 5})

    assert await _listed(anna, source="shared") == [old, new]
    assert await _listed(anna, source="shared", unread=False) == [old, new]
    assert await _listed(anna, source="shared", unread=True) == []
    assert (await anna.get(CHATS, source="shared", label="team:a")).error["field"] == "label"


async def test_what_is_taken_back_is_in_no_list(app: ASGIApp, store: Store, client: Client) -> None:
    anna, _ = await somebody(app, store, "anna")
    chat = await client.start_chat()
    await share(client, chat["id"], "user/anna")
    await client.delete(f"{CHATS}/{chat['id']}/grants/user/anna")

    assert await _listed(anna, source="shared") == []
    assert await _listed(anna, source="shared", q="hello") == []


async def test_administrators_list_every_chat_and_see_nothing_of_what_is_said(
    app: ASGIApp, store: Store, client: Client, admin: Client, stranger: Client
) -> None:
    chat = await client.start_chat("a secret", labels={"team": "blue"})

    rows = (await admin.get(CHATS, source="all")).json["chats"]
    assert [row["id"] for row in rows] == [chat["id"]]
    assert (rows[0]["access"], rows[0]["title"], rows[0]["owner"]["name"]) == ("admin", "a secret", "owner")
    assert "labels" not in rows[0]
    assert "usage_total" not in rows[0]
    assert [row["id"] for row in (await admin.get(CHATS, owner="owner")).json["chats"]] == [chat["id"]]
    assert (await admin.get(CHATS, owner="nobody")).json["chats"] == []
    assert (await stranger.get(CHATS, source="all")).error["code"] == "not_permitted"
    assert (await stranger.get(CHATS, owner="owner")).error["code"] == "not_permitted"

    bounded = Client(build(store, policy=Policy(admins_read_chats=AdminsRead.NEVER)), admin.token)
    assert [row["title"] for row in (await bounded.get(CHATS, source="all")).json["chats"]] == [""]
    assert (await bounded.get(f"{CHATS}/{chat['id']}")).status == 403
    assert (await bounded.post(f"{CHATS}/{chat['id']}/interrupt", {})).json["title"] == ""


async def test_a_page_goes_on_where_the_one_before_ended(store: Store, admin: Client, app: ASGIApp) -> None:
    _, anna = await somebody(app, store, "anna", UserRole.VIEWER)
    made = {await _chat(store, anna.id) for _ in range(5)}

    assert set(await _listed(admin, source="all")) == made
