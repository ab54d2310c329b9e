"""Public links as owners have them: made, seen, changed and ended. What guests see: tests/api/guests."""

import json
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token, hash_of
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.links import LINKS_MAX
from chatd.domain.people.permit import Policy
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.kit.clock import rfc3339
from chatd.storage.reads.audit import read_audit
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.chats.sharing.words import share, somebody
from tests.api.client import CHATS, Client
from tests.clock import START_MICROS, MovedClock
from tests.support.catalog_stores import some_catalog_store
from tests.words import failure
from tests.words import user as user_says

DAY_SECONDS = 24 * 3600
DAY_MICROS = DAY_SECONDS * 1_000_000


@pytest.fixture
def app(store: Store) -> ASGIApp:
    return build(store, catalog_store=some_catalog_store(store), policy=Policy(public_links=True))


@pytest.fixture
async def chat_id(client: Client) -> str:
    return str((await client.start_chat())["id"])


async def make(client: Client, chat_id: str, **fields: object) -> Any:
    answer = await client.post(f"{CHATS}/{chat_id}/links", fields)
    assert answer.status == 201, answer.body
    return answer.json


async def deeds(store: Store) -> list[tuple[str, Any]]:
    rows = await read_audit(store.db, settled_micros=-1)
    return [(row.deed, json.loads(row.changes)) for row in rows if row.deed.startswith("link.")]


async def test_a_link_is_for_seven_days_shows_words_alone_and_does_not_follow_on(
    client: Client, chat_id: str, owner: UserId
) -> None:
    made = await make(client, chat_id)

    code = made.pop("code")
    assert made == {
        "id": made["id"],
        "made_by": owner,
        "made_at": rfc3339(START_MICROS),
        "expires_at": rfc3339(START_MICROS + 7 * DAY_MICROS),
        "live": False,
        "include": [],
        "opened": 0,
    }
    assert len(code) == 43
    # Its code is told once, and it is not taken from what is stored.
    assert (await client.get(f"{CHATS}/{chat_id}/links")).json == {"links": [made]}


async def test_of_a_code_only_the_hash_is_stored_and_it_is_in_no_audit(
    store: Store, client: Client, chat_id: str
) -> None:
    code = (await make(client, chat_id))["code"]

    rows = await store.db.read(lambda tx: tx.all("links_of_chat", chat_id))
    assert code not in str(rows)
    assert await store.db.read(lambda tx: tx.one("link_of_code", hash_of(code))) is not None
    assert code not in str(await read_audit(store.db, settled_micros=-1))


@pytest.mark.parametrize(
    "wish", [{"days": 0}, {"days": 91}, {"include": ["everything"]}, {"expires_at": "2099-01-01T00:00:00Z"}]
)
async def test_a_link_that_would_show_more_than_can_be_or_for_longer_is_refused(
    client: Client, chat_id: str, wish: object
) -> None:
    assert (await client.post(f"{CHATS}/{chat_id}/links", wish)).status == 400


async def test_a_chat_has_ten_links_that_count_and_ended_ones_take_no_room(
    client: Client, chat_id: str, clock: MovedClock
) -> None:
    first = await make(client, chat_id, days=1)
    for _ in range(LINKS_MAX - 2):
        await make(client, chat_id)
    last = await make(client, chat_id)

    refused = await client.post(f"{CHATS}/{chat_id}/links", {})
    assert (refused.status, refused.error["code"]) == (429, "too_many_links")

    assert (await client.delete(f"{CHATS}/{chat_id}/links/{last['id']}")).status == 204
    await make(client, chat_id)
    await clock.advance(DAY_SECONDS)
    await make(client, chat_id)
    listed = (await client.get(f"{CHATS}/{chat_id}/links")).json["links"]
    assert len(listed) == LINKS_MAX
    assert first["id"] not in [each["id"] for each in listed]


async def test_where_the_policy_has_no_public_links_none_is_made_or_widened_but_all_can_be_ended(
    store: Store, client: Client, chat_id: str
) -> None:
    link = f"{CHATS}/{chat_id}/links/{(await make(client, chat_id, include=['tools']))['id']}"
    without = Client(build(store), client.token)

    refused = [
        await without.post(f"{CHATS}/{chat_id}/links", {}),
        await without.patch(link, {"live": True}),
        await without.patch(link, {"days": 90}),
    ]
    assert {(each.status, each.error["code"]) for each in refused} == {(403, "policy_forbids")}
    assert (await without.get("/api/v1/permits", chat=chat_id)).json["public_links"] is False
    assert (await client.get("/api/v1/permits", chat=chat_id)).json["public_links"] is True

    assert (await without.patch(link, {"include": []})).status == 200
    assert (await without.delete(link)).status == 204


async def test_a_link_is_changed_for_more_or_less(client: Client, chat_id: str, clock: MovedClock) -> None:
    path = f"{CHATS}/{chat_id}/links/{(await make(client, chat_id))['id']}"
    await clock.advance(DAY_SECONDS)

    wider = await client.patch(path, {"days": 30, "live": True, "include": ["files", "tools"]})
    assert (wider.json["live"], wider.json["include"]) == (True, ["files", "tools"])
    assert wider.json["expires_at"] == rfc3339(START_MICROS + 31 * DAY_MICROS)
    narrower = await client.patch(path, {"live": False, "include": []})
    assert (narrower.json["live"], narrower.json["include"]) == (False, [])
    assert (await client.patch(path, {})).error["code"] == "nothing_to_change"


async def test_who_may_not_share_narrows_at_most_and_readers_know_of_no_links(
    app: ASGIApp, store: Store, client: Client, admin: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna", "writer")
    links = f"{CHATS}/{chat_id}/links"
    link = f"{links}/{(await make(client, chat_id))['id']}"

    assert (await anna.get(links)).json == {"links": []}
    assert (await anna.post(links, {})).error["code"] == "not_permitted"
    assert (await anna.patch(link, {"days": 1})).error["code"] == "link_not_found"
    assert (await anna.delete(link)).error["code"] == "link_not_found"
    assert (await admin.post(links, {})).error["code"] == "not_permitted"
    assert (await admin.patch(link, {"days": 90})).error["code"] == "not_permitted"
    assert (await admin.patch(link, {"days": 1})).status == 200
    assert len((await admin.get(links)).json["links"]) == 1
    assert (await admin.delete(link)).status == 204


async def test_a_link_of_another_chat_is_not_found(client: Client, chat_id: str) -> None:
    other = str((await client.start_chat("another"))["id"])
    link_id = (await make(client, other))["id"]

    for path in (f"{CHATS}/{chat_id}/links/{link_id}", f"{CHATS}/{chat_id}/links/nothing"):
        assert (await client.patch(path, {"days": 1})).error["code"] == "link_not_found"
        assert (await client.delete(path)).error["code"] == "link_not_found"
    assert len((await client.get(f"{CHATS}/{other}/links")).json["links"]) == 1


async def test_links_are_of_roots_and_of_chats_outside_the_archive(
    store: Store, client: Client, chat_id: str
) -> None:
    child = CreateChat(
        id=ChatId("child"),
        owner_id=UserId("owner"),
        messages=(user_says("look"),),
        title="A child",
        parent_id=ChatId(chat_id),
        root_id=ChatId(chat_id),
    )
    await create_chat(store, child)
    assert (await client.post(f"{CHATS}/child/links", {})).error["code"] == "not_a_root"
    for each in ("child", chat_id):
        await transact(store, ChatId(each), FailTurn(failure=failure()))
    await client.patch(f"{CHATS}/{chat_id}", {"archived": True})
    assert (await client.post(f"{CHATS}/{chat_id}/links", {})).error["code"] == "archived"


async def test_a_chat_with_a_public_link_is_told_as_shared(client: Client, chat_id: str) -> None:
    assert (await client.get(f"{CHATS}/{chat_id}")).json["shared"] is False
    link_id = (await make(client, chat_id))["id"]
    assert (await client.get(f"{CHATS}/{chat_id}")).json["shared"] is True
    await client.delete(f"{CHATS}/{chat_id}/links/{link_id}")
    assert (await client.get(f"{CHATS}/{chat_id}")).json["shared"] is False


async def test_links_end_when_the_chat_is_handed_over_and_go_with_it(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    made = await make(client, chat_id)
    await transact(store, ChatId(chat_id), FailTurn(failure=failure()))
    await client.post(f"{CHATS}/{chat_id}/transfer", {"to": "anna"})
    assert (await anna.post(f"{CHATS}/{chat_id}/transfer/accept", {})).status == 200

    assert (await anna.get(f"{CHATS}/{chat_id}/links")).json == {"links": []}
    assert ("link.revoke", {"link_id": made["id"], "opened": 0}) in await deeds(store)
    assert await store.db.read(lambda tx: tx.one("link_of_code", hash_of(made["code"]))) is None

    code = (await make(anna, chat_id))["code"]
    await anna.delete(f"{CHATS}/{chat_id}")
    assert await store.db.read(lambda tx: tx.one("link_of_code", hash_of(code))) is None
    assert await store.db.read(lambda tx: tx.one("count_links", chat_id)) == (0,)


async def test_an_older_server_that_hands_the_chat_over_ends_its_links_too(
    store: Store, client: Client, chat_id: str
) -> None:
    """It knows nothing of the table."""
    code = (await make(client, chat_id))["code"]
    anna = await create_user(store.db, "anna", UserRole.MEMBER)

    handed_over = f"UPDATE chats SET owner_id = '{anna.id}';"  # noqa: S608 - an id of ours
    await store.db.write(lambda tx: tx.script(handed_over))

    assert await store.db.read(lambda tx: tx.one("link_of_code", hash_of(code))) is None


async def test_making_changing_and_ending_a_link_are_written_down(
    store: Store, client: Client, chat_id: str
) -> None:
    made = await make(client, chat_id, days=2)
    path = f"{CHATS}/{chat_id}/links/{made['id']}"
    await client.patch(path, {"live": True, "include": ["reasoning"]})
    await client.delete(path)

    assert sorted(await deeds(store)) == [
        (
            "link.change",
            {
                "link_id": made["id"],
                "live": {"before": False, "after": True},
                "include": {"before": [], "after": ["reasoning"]},
            },
        ),
        (
            "link.create",
            {
                "link_id": made["id"],
                "expires_at": START_MICROS + 2 * DAY_MICROS,
                "live": False,
                "include": [],
            },
        ),
        ("link.revoke", {"link_id": made["id"], "opened": 0}),
    ]


async def test_a_token_that_is_for_chatting_makes_no_links(
    app: ASGIApp, store: Store, client: Client, chat_id: str, owner: UserId
) -> None:
    chatting = Client(app, await create_token(store.db, owner, "chats", scopes=frozenset()))

    assert (await chatting.post(f"{CHATS}/{chat_id}/links", {})).error["code"] == "scope_missing"
