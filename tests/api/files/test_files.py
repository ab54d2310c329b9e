"""Files over HTTP: what is taken, and who gets it back."""

import pytest
from starlette.types import ASGIApp

from chatd.storage.transactions.transact import Store
from tests.api.accounts.test_services import USER_TOKENS, program
from tests.api.chats.sharing.words import somebody
from tests.api.client import CHATS, Answer, Client
from tests.traceability import proves

FILES = "/api/v1/files"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
MEBIBYTE = 1024 * 1024


async def send(
    client: Client, data: bytes = b"hello", media: str = "text/plain", name: str | None = "a.txt"
) -> Answer:
    headers = {"content-type": media}
    if name is not None:
        headers["content-disposition"] = f'attachment; filename="{name}"'
    return await client.ask("POST", FILES, data, headers=headers)


@proves("api", 52)
async def test_a_file_comes_back_as_it_was(client: Client) -> None:
    sent = await send(client, PNG, "image/png", "picture.png")
    assert sent.status == 201
    file_id = sent.json["id"]
    assert sent.json == {"id": file_id, "name": "picture.png", "media_type": "image/png", "size_bytes": 28}

    got = await client.get(f"{FILES}/{file_id}")

    assert (got.status, got.body) == (200, PNG)
    assert got.headers["content-type"] == "image/png"
    assert got.headers["content-disposition"] == 'inline; filename="picture.png"'
    assert got.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in got.headers["content-security-policy"]


@proves("api", 50, 52)
@pytest.mark.parametrize(
    ("data", "media", "name", "kept", "shown"),
    [
        (b"%PDF-1.7 ...", "application/pdf", "a.pdf", "application/pdf", "attachment"),
        (b'{"a": 1}', "application/json", "a.json", "application/json", "attachment"),
        (b"hello", "text/plain; charset=utf-8", "a.txt", "text/plain", "inline"),
        (b"a,b", "text/plain", "a.CSV", "text/csv", "inline"),
        (b"# a", "application/octet-stream", "a.md", "text/markdown", "inline"),
        (PNG, "application/octet-stream", "a", "image/png", "inline"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "application/octet-stream", "a", "image/webp", "inline"),
        (b"<html>", "text/plain", "pasted.txt", "text/plain", "inline"),
        (b"fn main() {}", "text/x-rust", "main.rs", "text/plain", "inline"),
        (b"a = 1", "application/toml", "a.toml", "text/plain", "inline"),
        (b"#!/bin/sh", "application/octet-stream", "run", "text/plain", "inline"),
        ("größer".encode(), "", "server.log", "text/plain", "inline"),
        (b"{", "application/json", "a.json", "text/plain", "inline"),
        # Not run by a browser: as plain text.
        (b"<svg/>", "image/svg+xml", "a.svg", "text/plain", "inline"),
        (b"<html>", "text/html", "a.html", "text/plain", "inline"),
        (b"\xef\xbb\xbf <!DOCTYPE HTML>", "application/octet-stream", "a", "text/plain", "inline"),
    ],
)
async def test_a_file_is_kept_as_what_it_is(
    client: Client, data: bytes, media: str, name: str, kept: str, shown: str
) -> None:
    sent = await send(client, data, media, name)
    assert (sent.status, sent.json["media_type"]) == (201, kept)

    got = await client.get(f"{FILES}/{sent.json['id']}")

    assert got.headers["content-type"].partition(";")[0] == kept
    assert got.headers["content-disposition"].startswith(shown)


@pytest.mark.parametrize(
    ("data", "media", "name"),
    [
        (b"\xff\xd8\xff", "image/png", "a.png"),
        (b"hello", "image/png", "a.png"),
        (PNG, "text/plain", "a.txt"),
        (b"\xff\xfe", "text/plain", "a.txt"),
        (b"text\0", "text/x-python", "a.py"),
        (b"\0\1\2", "application/octet-stream", "a.bin"),
        (b"", "text/plain", "a.txt"),
    ],
)
async def test_what_is_not_what_it_says_is_refused(
    client: Client, data: bytes, media: str, name: str
) -> None:
    assert (await send(client, data, media, name)).status == 400


@proves("api", 51)
@pytest.mark.parametrize("name", [None, "", "a" * 256, "folder/"])
async def test_a_file_has_a_name(client: Client, name: str | None) -> None:
    answer = await send(client, name=name)

    assert (answer.status, answer.error["field"]) == (400, "Content-Disposition")


async def test_a_name_may_be_in_any_script_and_keeps_nothing_of_its_folder(client: Client) -> None:
    headers = {
        "content-type": "text/plain",
        "content-disposition": "attachment; filename*=UTF-8''C%3A%5Ctmp%5C%D0%B4%D0%B0.txt",
    }
    sent = await client.ask("POST", FILES, b"hello", headers=headers)
    assert sent.json["name"] == "да.txt"

    got = await client.get(f"{FILES}/{sent.json['id']}")

    assert (
        got.headers["content-disposition"] == "inline; filename=\"__.txt\"; filename*=UTF-8''%D0%B4%D0%B0.txt"
    )


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("attachment; filename=plain.txt", "plain.txt"),
        (r'attachment; filename="C:\tmp\a.txt"', "a.txt"),
        ("attachment; filename=with blanks.txt ; size=3", "with blanks.txt"),
        ('ATTACHMENT;FILENAME = "a;b.txt"', "a;b.txt"),
        (r'attachment; filename="say \"hello\".txt"', 'say "hello".txt'),
        ("attachment; filename=\"_.txt\"; filename*=utf-8'de'%C3%A4.txt", "ä.txt"),
        ("attachment; filename*=iso-8859-1''%E4.txt", "ä.txt"),
        ("attachment; filename*=x-unknown''%E4.txt; filename=a.txt", "a.txt"),
        ("attachment; filename*=nothing; filename=a.txt", "a.txt"),
    ],
)
async def test_a_name_is_found_however_it_is_written(client: Client, disposition: str, name: str) -> None:
    headers = {"content-type": "text/plain", "content-disposition": disposition}

    assert (await client.ask("POST", FILES, b"hello", headers=headers)).json["name"] == name


@pytest.mark.parametrize(
    "disposition",
    [
        "",
        "filename",
        "attachment; filename",
        'attachment; filename="open',
        'attachment; filename=""',
        "attachment; filename*=UTF-8''",
        "attachment" + "; a=b" * 1000 + "; filename=a.txt",
        'attachment; filename="a.txt"' + ";" * 60_000,
        "attachment; " + '"' * 60_000,
    ],
)
async def test_a_name_that_cannot_be_found_is_asked_for(client: Client, disposition: str) -> None:
    headers = {"content-type": "text/plain", "content-disposition": disposition}
    answer = await client.ask("POST", FILES, b"hello", headers=headers)

    assert (answer.status, answer.error["code"]) == (400, "no_file_name")


@proves("api", 48)
async def test_a_file_has_at_most_10_mebibytes(client: Client) -> None:
    assert (await send(client, b"a" * 10 * MEBIBYTE)).status == 201
    answer = await send(client, b"a" * (10 * MEBIBYTE + 1))
    assert (answer.status, answer.error["code"]) == (413, "body_too_large")


@proves("api", 54)
async def test_a_file_is_for_its_owner_and_for_the_readers_of_its_chats(
    client: Client, stranger: Client, admin: Client
) -> None:
    file_id = (await send(client)).json["id"]
    for other in (stranger, admin):
        assert (await other.get(f"{FILES}/{file_id}")).status == 404

    part = {"type": "file", "file_id": file_id, "media_type": "text/plain"}
    assert (await client.post(CHATS, {"content": [part]})).status == 201

    assert (await client.get(f"{FILES}/{file_id}")).body == b"hello"
    assert (await admin.get(f"{FILES}/{file_id}")).body == b"hello"
    assert (await stranger.get(f"{FILES}/{file_id}")).status == 404
    assert (await client.get(f"{FILES}/nothing")).status == 404


async def test_with_a_chat_its_files_are_shared_as_far_as_they_are_shown(
    app: ASGIApp, store: Store, client: Client
) -> None:
    """Not those of a message that was edited away, nor to readers those of one that waits."""
    people = {role: await somebody(app, store, role) for role in ("reader", "writer")}
    files = {name: (await send(client)).json["id"] for name in ("left", "shown", "waits")}

    def says(name: str) -> dict[str, object]:
        return {"content": [{"type": "file", "file_id": files[name], "media_type": "text/plain"}]}

    chat = f"{CHATS}/{(await client.post(CHATS, says('left'))).json['id']}"
    for role in people:
        await client.put(f"{chat}/grants/user/{role}", {"role": role})
    assert (await client.patch(f"{chat}/messages/1", says("shown"))).status == 200
    assert (await client.post(f"{chat}/messages", says("waits"))).json["queued"] is True

    async def read_by(caller: Client) -> list[str]:
        return [name for name in files if (await caller.get(f"{FILES}/{files[name]}")).status == 200]

    assert await read_by(client) == ["left", "shown", "waits"]
    assert await read_by(people["writer"][0]) == ["shown", "waits"]
    assert await read_by(people["reader"][0]) == ["shown"]
    writer = people["writer"][0]
    assert [(await writer.post(f"{chat}/messages", says(name))).status for name in files] == [400, 200, 200]
    for role, (caller, _) in people.items():
        wanted = {"name": "one", "chat_id": chat.rpartition("/")[2]}
        token = (await caller.post("/api/v1/users/me/tokens", wanted)).json["token"]
        assert await read_by(Client(app, token)) == (["shown", "waits"] if role == "writer" else ["shown"])


async def test_a_service_reads_the_files_of_chats_of_its_end_users(app: ASGIApp, admin: Client) -> None:
    shop, other = await program(app, admin), await program(app, admin, "other")
    seven = Client(app, (await shop.itself.post(USER_TOKENS, {"user": "customer-7"})).json["token"])
    file_id = (await send(seven)).json["id"]
    assert (await shop.itself.get(f"{FILES}/{file_id}")).status == 404

    part = {"type": "file", "file_id": file_id, "media_type": "text/plain"}
    assert (await seven.post(CHATS, {"content": [part]})).status == 201

    assert (await shop.itself.get(f"{FILES}/{file_id}")).body == b"hello"
    assert (await other.itself.get(f"{FILES}/{file_id}")).status == 404


@pytest.mark.parametrize("given", [{}, {"media_type": "image/png"}, {"media_type": "Image/PNG; q=1"}])
async def test_what_a_file_is_need_not_be_said_again(client: Client, given: dict[str, str]) -> None:
    file_id = (await send(client, PNG, "image/png", "sky.png")).json["id"]
    part = {"type": "file", "file_id": file_id, "name": "sky.png"}
    kept = part | {"media_type": "image/png"}

    chat = await client.post(CHATS, {"content": [part | given]})
    path = f"{CHATS}/{chat.json['id']}/messages"
    sent = await client.post(path, {"content": [part | given]})
    (first,) = (await client.get(path)).json["messages"]
    edited = await client.patch(f"{path}/{first['id']}", {"content": [part | given]})

    assert sent.json["queued_message"]["content"] == [kept]
    assert (first["content"], edited.json["message"]["content"]) == ([kept], [kept])


async def test_who_says_that_a_file_is_something_else_means_another_one(client: Client) -> None:
    file_id = (await send(client, PNG, "image/png", "sky.png")).json["id"]
    part = {"type": "file", "file_id": file_id, "media_type": "text/plain"}

    answer = await client.post(CHATS, {"content": [{"type": "text", "text": "Look."}, part]})

    assert (answer.status, answer.error) == (
        400,
        {
            "code": "wrong_media_type",
            "message": f"The file '{file_id}' is of the type image/png, not 'text/plain'.",
            "field": "content[1]",
            "hint": "Leave `media_type` out: the server knows it.",
        },
    )


async def test_no_user_refers_to_a_file_of_another(client: Client, stranger: Client) -> None:
    file_id = (await send(client)).json["id"]

    answer = await stranger.post(CHATS, {"content": [{"type": "file", "file_id": file_id}]})

    assert (answer.status, answer.error["code"]) == (400, "file_unavailable")


@proves("api", 55)
async def test_a_minute_has_twelve_files(
    client: Client, stranger: Client, app: ASGIApp, store: Store
) -> None:
    answers = [await send(client) for _ in range(13)]

    assert [answer.status for answer in answers] == [201] * 12 + [429]
    assert "retry-after" in answers[-1].headers
    assert (await send(stranger)).status == 201
