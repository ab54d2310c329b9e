"""Files travel with an exported chat: what users have attached, and what tools have shown."""

from typing import Any

import pytest

from chatd.api.serving.intake import IMPORT_BYTES_MAX
from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId, FileId, MessageId, UserId
from chatd.domain.part import File
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.words import call, says, step

IMPORT = f"{CHATS}/import"
FILES = "/api/v1/files"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


async def keep(store: Store, owner: UserId, name: str, data: bytes) -> None:
    await add_file(
        store.db, file_id=FileId(name), owner_id=owner, name=name, media_type="image/png", data=data
    )


async def a_chat_with_files(
    client: Client, store: Store, owner: UserId, *, picture: bytes = PNG, photo: bytes = PNG
) -> str:
    """The user has attached a photo, and a tool has shown a picture."""
    await keep(store, owner, "photo.png", photo)
    await keep(store, owner, "picture.png", picture)
    attached = {"type": "file", "file_id": "photo.png", "media_type": "image/png", "name": "photo.png"}
    chat = await client.post(CHATS, {"content": [{"type": "text", "text": "see"}, attached]})
    chat_id = ChatId(chat.json["id"])
    media = File(
        file_id=FileId("picture.png"), media_type="image/png", name="picture.png", size_bytes=len(picture)
    )
    result = CallResult(result={"mime_type": "image/png", "text": "a desk"}, is_media=True, media=media)
    finish = FinishCall(message_id=MessageId(2), call_id=CallId("c"), result=result)
    await transact(store, chat_id, step(says("Let me see.", call("c"))), finish, FinishTurn())
    return f"{CHATS}/{chat_id}"


async def file_ids(client: Client, path: str) -> tuple[str | None, str | None]:
    """Of the photo and of the picture, as the messages name them."""
    asked, _, shown = (await client.get(f"{path}/messages")).json["messages"][::-1]
    result = shown["content"][0]
    assert result["result"] == {"mime_type": "image/png", "text": "a desk"}
    return asked["content"][1].get("file_id"), result.get("media", {}).get("file_id")


async def bytes_of(client: Client, file_id: str | None) -> bytes:
    answer = await client.get(f"{FILES}/{file_id}")
    assert answer.status == 200
    return answer.body


async def exported(client: Client, path: str) -> Any:
    return (await client.get(f"{path}/export")).json


async def test_another_user_gets_copies_of_all_files_with_the_chat(
    client: Client, store: Store, owner: UserId, stranger: Client
) -> None:
    path = await a_chat_with_files(client, store, owner)

    chat = await stranger.post(IMPORT, await exported(client, path))

    assert chat.status == 201
    photo, picture = await file_ids(stranger, f"{CHATS}/{chat.json['id']}")
    assert {photo, picture}.isdisjoint({"photo.png", "picture.png"})
    assert await bytes_of(stranger, photo) == await bytes_of(stranger, picture) == PNG
    # The copies are theirs alone.
    assert (await client.get(f"{FILES}/{picture}")).status == 404


async def test_the_same_user_gets_no_second_copy(client: Client, store: Store, owner: UserId) -> None:
    path = await a_chat_with_files(client, store, owner)

    chat = await client.post(IMPORT, await exported(client, path))

    assert await file_ids(client, f"{CHATS}/{chat.json['id']}") == ("photo.png", "picture.png")
    await client.delete(path)
    assert await bytes_of(client, "picture.png") == PNG


async def test_an_export_can_be_imported_however_large_its_files_are(
    client: Client, store: Store, owner: UserId, stranger: Client
) -> None:
    """The newest come first; what has no room is still named where it was."""
    large = PNG + bytes(IMPORT_BYTES_MAX * 3 // 4 - 64 * 1024)
    path = await a_chat_with_files(client, store, owner, picture=large, photo=PNG + bytes(128 * 1024))

    whole = await client.get(f"{path}/export")

    assert [each["id"] for each in whole.json["files"]] == ["picture.png"]
    assert len(whole.body) <= IMPORT_BYTES_MAX
    chat = await stranger.post(IMPORT, whole.json)
    assert chat.status == 201
    photo, picture = await file_ids(stranger, f"{CHATS}/{chat.json['id']}")
    assert photo is None
    assert await bytes_of(stranger, picture) == large


async def test_a_picture_that_does_not_come_along_leaves_the_words_about_it(
    client: Client, store: Store, owner: UserId, stranger: Client
) -> None:
    path = await a_chat_with_files(client, store, owner)
    whole = await exported(client, path)

    chat = await stranger.post(IMPORT, {**whole, "files": []})

    assert await file_ids(stranger, f"{CHATS}/{chat.json['id']}") == (None, None)


async def test_a_file_of_another_user_is_not_had_by_its_name(
    client: Client, store: Store, owner: UserId, stranger: Client
) -> None:
    """Not even where a result claims to have shown it."""
    path = await a_chat_with_files(client, store, owner)
    whole = await exported(client, path)

    chat = await stranger.post(IMPORT, {**whole, "files": []})

    assert chat.status == 201
    assert (await stranger.get(f"{FILES}/picture.png")).status == 404


@pytest.mark.parametrize(
    "change",
    [{"name": ""}, {"name": "a\nb"}, {"data": ""}, {"data": "!!"}, {"id": ""}, {"owner": "me"}],
    ids=["no name", "a hidden name", "empty", "no base64", "no id", "another field"],
)
async def test_a_file_that_cannot_be_kept_is_refused_and_nothing_is_made(
    client: Client, store: Store, owner: UserId, stranger: Client, change: dict[str, str]
) -> None:
    path = await a_chat_with_files(client, store, owner)
    whole = await exported(client, path)
    whole["files"][0].update(change)

    answer = await stranger.post(IMPORT, whole)

    assert (answer.status, answer.error["field"].startswith("files[0]")) == (400, True)
    assert (await stranger.get(CHATS)).json == {"chats": []}
    assert await store.db.read(lambda tx: tx.all("unused_files", -1, 10)) == []


async def test_a_file_is_served_as_what_it_is_and_not_as_what_it_is_said_to_be(
    client: Client, store: Store, owner: UserId, stranger: Client
) -> None:
    path = await a_chat_with_files(client, store, owner, photo=b"<script>alert(1)</script>")
    whole = await exported(client, path)
    whole["files"] = [each | {"media_type": "text/html"} for each in whole["files"]]

    chat = await stranger.post(IMPORT, whole)

    photo, _ = await file_ids(stranger, f"{CHATS}/{chat.json['id']}")
    answer = await stranger.get(f"{FILES}/{photo}")
    assert answer.headers["content-type"].startswith("text/plain")


async def test_results_with_base64_of_before_are_exported_and_imported_as_they_are(client: Client) -> None:
    result = {
        "type": "tool-result",
        "tool_call_id": "c",
        "tool_name": "t",
        "is_media": True,
        "result": {"data": "iVBORw0K", "mime_type": "image/png", "text": "a desk"},
    }
    made = {"type": "tool-call", "tool_call_id": "c", "tool_name": "t", "args": {}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "see"}]},
        {"role": "assistant", "content": [made]},
        {"role": "tool", "content": [result]},
    ]
    chat = await client.post(
        IMPORT, {"format": "chatd-chat", "version": 2, "title": "old", "messages": messages}
    )

    again = await exported(client, f"{CHATS}/{chat.json['id']}")

    assert [each["content"] for each in again["messages"]] == [each["content"] for each in messages]
    assert again["files"] == []


async def test_an_export_for_people_names_what_was_shown(client: Client, store: Store, owner: UserId) -> None:
    path = await a_chat_with_files(client, store, owner)

    page = (await client.get(f"{path}/export?format=markdown")).body.decode()

    assert "File: `picture.png` (image/png)" in page
