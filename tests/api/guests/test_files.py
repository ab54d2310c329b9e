"""Files for guests: those of messages that they see, by what these call them, and no others."""

from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.domain.ids import ChatId, MessageId, UserId
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.kit.sealed_numbers import SealedNumbers
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import Client
from tests.api.guests.scene import Scene, everything, upload
from tests.api.guests.words import Guest, make_link
from tests.traceability import proves
from tests.words import said


@pytest.fixture
async def scene(client: Client, store: Store, owner: UserId) -> Scene:
    return await everything(client, store, owner)


def files_in(messages: list[Any]) -> list[str]:
    parts = [part for message in messages for part in message["content"]]
    media = [part["media"] for part in parts if "media" in part]
    return [part["file_id"] for part in [*parts, *media] if part["type"] == "file"]


@proves("people", 30)
@pytest.mark.parametrize(
    ("include", "count"), [([], 0), (["tools"], 0), (["files"], 1), (["files", "tools"], 2)]
)
async def test_a_guest_has_the_files_that_the_link_shows(
    app: ASGIApp, client: Client, scene: Scene, include: list[str], count: int
) -> None:
    made = await make_link(client, scene.chat_id, include=include)
    guest = Guest(app, made["code"])

    found = files_in(await guest.messages())
    assert len(found) == count
    for file_id in found:
        answer = await guest.get(f"files/{file_id}")
        assert (answer.status, answer.body) == (200, b"some words")
    # Also whoever knows how files are called finds no other.
    numbers = SealedNumbers(made["id"])
    for number in range(1, 12):
        for each in (scene.attachment, scene.picture):
            called = f"{numbers.seal(number)}.{each}"
            assert (await guest.get(f"files/{called}")).status == (200 if called in found else 404)


async def test_a_file_is_kept_by_nobody_and_run_by_no_browser(
    app: ASGIApp, client: Client, scene: Scene
) -> None:
    guest = Guest(app, (await make_link(client, scene.chat_id, include=["files"]))["code"])
    (file_id,) = files_in(await guest.messages())

    headers = (await guest.get(f"files/{file_id}")).headers

    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-robots-tag"] == "noindex, nofollow"
    assert headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in headers["content-security-policy"]


async def test_a_file_goes_with_its_message(app: ASGIApp, store: Store, client: Client, scene: Scene) -> None:
    guest = Guest(app, (await make_link(client, scene.chat_id, live=True, include=["files"]))["code"])
    (file_id,) = files_in(await guest.messages())

    await transact(
        store, ChatId(scene.chat_id), EditMessage(message_id=MessageId(1), content=said("Without it."))
    )

    assert (await guest.get(f"files/{file_id}")).error["code"] == "file_not_found"


async def test_a_file_that_comes_later_is_not_part_of_a_link_that_does_not_follow_on(
    app: ASGIApp, client: Client
) -> None:
    chat_id = (await client.start_chat())["id"]
    made = [await make_link(client, chat_id, live=live, include=["files"]) for live in (False, True)]
    later = await upload(client, "later.txt")
    content = [{"type": "text", "text": "Look."}, {"type": "file", "file_id": later}]
    sent = await client.post(f"/api/v1/chats/{chat_id}/messages", {"content": content, "when": "interrupt"})
    assert sent.status == 200, sent.body
    stopped, live = (Guest(app, each["code"]) for each in made)

    assert files_in(await stopped.messages()) == []
    number = SealedNumbers(made[0]["id"]).seal(2)
    assert (await stopped.get(f"files/{number}.{later}")).status == 404
    assert files_in(await live.messages()) == []  # It waits in the queue.


async def test_a_part_of_a_file_is_not_sent(app: ASGIApp, client: Client, scene: Scene) -> None:
    guest = Guest(app, (await make_link(client, scene.chat_id, include=["files"]))["code"])
    (file_id,) = files_in(await guest.messages())

    for asked in ("bytes=0-3", "bytes=-1", "bytes=0-0,1-1", "bytes=999999-"):
        answer = await guest.get(f"files/{file_id}", range=asked)
        assert (answer.status, answer.body) == (200, b"some words")
        assert "content-range" not in answer.headers
