"""Where several people write in a chat, its readers are told who: once for many messages."""

import json
from typing import Any

from starlette.types import ASGIApp

from chatd.domain.ids import ChatId, UserId
from chatd.domain.message import Draft, Role
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.sharing.words import share, somebody
from tests.api.client import CHATS, Client
from tests.words import said, says, step


async def test_pages_name_whoever_wrote_once_for_all_of_their_messages(
    app: ASGIApp, store: Store, client: Client
) -> None:
    path, anna = await _shared(app, store, client)
    await _turn(store, path, anna, "one", "two")

    page = (await client.get(f"{path}/messages")).json

    assert page["participants"] == [
        {"id": await _id(anna), "name": "anna", "display_name": "Anna Nowak"},
        {"id": await _id(client), "name": "owner", "display_name": ""},
    ]
    assert (await anna.get(f"{path}/messages")).json["participants"] == page["participants"]


async def test_nobody_is_named_where_the_owner_alone_has_written(
    app: ASGIApp, store: Store, client: Client
) -> None:
    path, anna = await _shared(app, store, client)

    for who in (client, anna):
        assert "participants" not in (await who.get(f"{path}/messages")).json
        assert "participants" not in [each["type"] for each in await _stream(who, path)]


async def test_a_stream_names_writers_before_their_messages(
    app: ASGIApp, store: Store, client: Client
) -> None:
    path, anna = await _shared(app, store, client)
    await _turn(store, path, anna, "one")

    events = await _stream(client, path)

    assert [each["type"] for each in events][:3] == ["chat", "participants", "message"]
    assert events[1]["participants"] == (await client.get(f"{path}/messages")).json["participants"]


async def test_readers_are_not_told_who_waits_in_the_queue(
    app: ASGIApp, store: Store, client: Client
) -> None:
    """Of it they know how long it is."""
    path, anna = await _shared(app, store, client)
    bob, _ = await somebody(app, store, "bob")
    await share(client, path.removeprefix(f"{CHATS}/"), "user/bob", "reader")
    await _say(store, path, anna, "waits")

    assert [each["name"] for each in (await client.get(f"{path}/messages")).json["participants"]] == [
        "anna", "owner",
    ]  # fmt: skip
    assert "participants" in [each["type"] for each in await _stream(anna, path)]
    assert "participants" not in (await bob.get(f"{path}/messages")).json
    assert "participants" not in [each["type"] for each in await _stream(bob, path)]


async def test_an_export_as_markdown_says_who_wrote_what(app: ASGIApp, store: Store, client: Client) -> None:
    path, anna = await _shared(app, store, client)
    alone = (await client.ask("GET", f"{path}/export?format=markdown")).body.decode()
    await _turn(store, path, anna, "one")

    written = (await client.ask("GET", f"{path}/export?format=markdown")).body.decode()

    assert [line for line in alone.splitlines() if line.startswith("## User")] == ["## User"]
    heads = [line for line in written.splitlines() if line.startswith("## User")]
    assert heads == ["## User, owner", "## User, Anna Nowak"]


async def test_who_has_no_account_any_more_is_not_named(app: ASGIApp, store: Store, client: Client) -> None:
    path, _ = await _shared(app, store, client)
    draft = Draft(role=Role.USER, content=said("long ago"), created_by=UserId("gone"))
    await transact(
        store, _chat(path), step(says("hi")), FinishTurn(), SendMessage(message=draft, when=When.QUEUE)
    )

    page = (await client.get(f"{path}/messages")).json

    assert page["messages"][0]["created_by"] == "gone"
    assert [each["name"] for each in page["participants"]] == ["owner"]


async def _shared(app: ASGIApp, store: Store, client: Client) -> tuple[str, Client]:
    """The path of a chat of ours, in which the agent works, and Anna, who may write there."""
    chat = await client.start_chat("hello")
    anna, _ = await somebody(app, store, "anna")
    await anna.patch("/api/v1/users/me", {"display_name": "Anna Nowak"})
    await share(client, chat["id"], "user/anna", "writer")
    return f"{CHATS}/{chat['id']}", anna


async def _turn(store: Store, path: str, who: Client, *words: str) -> None:
    """The agent rests, and is told these things, one after the other."""
    for each in words:
        await transact(store, _chat(path), step(says("hi")), FinishTurn())
        await _say(store, path, who, each)


async def _say(store: Store, path: str, who: Client, words: str) -> None:
    answer = await who.post(f"{path}/messages", {"content": [{"type": "text", "text": words}]})
    assert answer.status in {200, 201, 202}, answer.body


async def _stream(who: Client, path: str) -> list[dict[str, Any]]:
    answer = await who.ask("GET", f"{path}/stream", headers={"accept": "text/event-stream"})
    lines = answer.body.decode().splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


async def _id(who: Client) -> str:
    found: str = (await who.get("/api/v1/users/me")).json["id"]
    return found


def _chat(path: str) -> ChatId:
    return ChatId(path.removeprefix(f"{CHATS}/"))
