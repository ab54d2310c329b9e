"""Files in forms, as browsers and generated clients send them: taken as bodies are, or refused."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from chatd.api.serving.uploads import FORM_BYTES_MAX, Upload, read_upload
from chatd.errors import BadInput, Refused
from chatd.kit.disposition import name_in
from tests.api.client import Answer, Client

FILES = "/api/v1/files"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
MEBIBYTE = 1024 * 1024
BOUNDARY = "----a boundary'()+_,-./:=?1"
CONTENT_TYPE = f'multipart/form-data; boundary="{BOUNDARY}"'.encode()
DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="a.txt"'


def form(data: bytes = b"hello", *headers: str, boundary: str = BOUNDARY) -> bytes:
    """One part with these headers."""
    edge = b"--" + boundary.encode()
    lines = [edge, *(header.encode() for header in headers or (DISPOSITION,)), b"", data, edge + b"--", b""]
    return b"\r\n".join(lines)


async def send(client: Client, *chunks: bytes, boundary: str = BOUNDARY) -> Answer:
    headers = {"content-type": f'multipart/form-data; boundary="{boundary}"'}
    return await client.ask("POST", FILES, *chunks, headers=headers)


async def test_a_file_in_a_form_comes_back_as_it_was(client: Client) -> None:
    disposition = 'Content-Disposition: form-data; name="file"; filename="да нет.png"'
    sent = await send(client, form(PNG, disposition, "Content-Type: image/png"))
    assert sent.status == 201
    file_id = sent.json["id"]
    assert sent.json == {"id": file_id, "name": "да нет.png", "media_type": "image/png", "size_bytes": 28}

    assert (await client.get(f"{FILES}/{file_id}")).body == PNG


@pytest.mark.parametrize(
    ("data", "media", "name"),
    [
        (b"hello", "text/plain", "a.txt"),
        (b"a,b", "text/plain", "a.csv"),
        (PNG, "application/octet-stream", "a"),
        (b"hello", "", "a.txt"),
        (b"<svg/>", "image/svg+xml", "a.svg"),
        (b"hello", "image/png", "a.png"),
        (b"\0\1\2", "application/octet-stream", "a.bin"),
        (b"", "text/plain", "a.txt"),
        (b"hello", "text/plain", "a" * 256),
        (b"hello", "text/plain", "folder/a.txt"),
        (b"hello", "text/plain", "folder/"),
        (b"a" * (10 * MEBIBYTE), "text/plain", "a.txt"),
        (b"a" * (10 * MEBIBYTE + 1), "text/plain", "a.txt"),
    ],
)
async def test_what_is_taken_as_a_body_is_taken_in_a_form_and_nothing_else(
    client: Client, data: bytes, media: str, name: str
) -> None:
    headers = {"content-type": media, "content-disposition": f'attachment; filename="{name}"'}
    alone = await client.ask("POST", FILES, data, headers=headers)
    disposition = f'Content-Disposition: form-data; name="file"; filename="{name}"'
    in_form = await send(client, form(data, disposition, *([f"Content-Type: {media}"] if media else [])))

    assert in_form.status == alone.status
    if alone.status == 201:
        assert in_form.json | {"id": ""} == alone.json | {"id": ""}
    else:
        assert in_form.error == alone.error


async def test_both_ways_count_among_the_uploads_of_a_minute(client: Client) -> None:
    answers = [await send(client, form()) for _ in range(13)]

    assert [answer.status for answer in answers] == [201] * 12 + [429]


MANY_PARTS = b"".join(form()[: -len(b"--\r\n")] + b"\r\n" for _ in range(1000))
HOSTILE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "malformed_form"),
    "no part": (f"--{BOUNDARY}--\r\n".encode(), "no_file"),
    "something before it": (b"junk\r\n" + form(), "malformed_form"),
    "another boundary": (form(boundary="other"), "malformed_form"),
    "two files": (MANY_PARTS[: 2 * len(form())], "too_many_in_form"),
    "many parts": (MANY_PARTS, "too_many_in_form"),
    "another form in it": (form(form(), DISPOSITION, "Content-Type: multipart/mixed"), "malformed_form"),
    "a text": (form(b"hello", 'Content-Disposition: form-data; name="file"'), "no_file"),
    "another field": (form(b"hello", 'Content-Disposition: form-data; name="x"; filename="a"'), "no_file"),
    "no field": (form(b"hello", 'Content-Disposition: form-data; filename="a"'), "no_file"),
    "no headers": (form(b"hello", "X: y"), "no_file"),
    "no name": (form(b"hello", 'Content-Disposition: form-data; name="file"; filename=""'), "no_file_name"),
    "a header twice": (form(b"hello", DISPOSITION, DISPOSITION), "malformed_form"),
    "no header": (form(b"hello", DISPOSITION, "what is this"), "malformed_form"),
    "a folded header": (form(b"hello", DISPOSITION, " more of it"), "malformed_form"),
    "many headers": (form(b"hello", DISPOSITION, *(f"X-{n}: y" for n in range(1000))), "malformed_form"),
    "a long header": (form(b"hello", DISPOSITION, "X: " + "y" * 100_000), "malformed_form"),
    "a long name of a header": (form(b"hello", DISPOSITION, "y" * 100_000 + ": x"), "malformed_form"),
    "a header that is not UTF-8": (form().replace(b"a.txt", b"\xff.txt"), "malformed_form"),
    "an encoded file": (form(b"eA==", DISPOSITION, "Content-Transfer-Encoding: base64"), "malformed_form"),
    "ends that are none": (form((b"\r\n--" + BOUNDARY.encode() + b"x") * 101), "malformed_form"),
    "other line ends": (form().replace(b"\r\n", b"\n"), "malformed_form"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_is_not_a_form_with_a_file_is_refused(client: Client, name: str) -> None:
    body, code = HOSTILE[name]

    answer = await send(client, body)

    assert (answer.status, answer.error["code"]) == (400, code)


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary",
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary=""',
        f"multipart/form-data; boundary={'a' * 71}",
        f"multipart/form-data; boundary={'a' * 60_000}",
        "MULTIPART/FORM-DATA;" + ";" * 60_000,
    ],
)
async def test_a_form_says_its_boundary(client: Client, content_type: str) -> None:
    answer = await client.ask("POST", FILES, form(), headers={"content-type": content_type})

    assert (answer.status, answer.error["code"]) == (400, "malformed_form")
    assert "boundary" in answer.error["message"]


async def test_a_form_that_ends_too_soon_is_refused_wherever_that_is(client: Client) -> None:
    whole = form()
    # The last line end may be missing.
    for length in range(len(whole) - len(b"\r\n")):
        with pytest.raises(BadInput):
            await read(whole[:length])


async def test_what_a_part_says_of_its_length_does_not_count() -> None:
    for length in ("0", "3", "99999999999999999999", "-1", "x"):
        assert (await read(form(b"hello", DISPOSITION, f"Content-Length: {length}"))).data == b"hello"


async def test_what_follows_the_last_boundary_counts_among_its_bytes(client: Client) -> None:
    assert (await send(client, form() + b"x" * 100)).status == 201
    answer = await send(client, form(b"a" * 10 * MEBIBYTE) + b"x" * FORM_BYTES_MAX)

    assert (answer.status, answer.error["code"]) == (413, "body_too_large")


async def test_a_body_that_is_announced_as_too_large_is_not_read(client: Client) -> None:
    headers = {"content-type": f'multipart/form-data; boundary="{BOUNDARY}"', "content-length": str(2**40)}

    assert (await client.ask("POST", FILES, b"", headers=headers)).status == 413


EDGE = f"\r\n--{BOUNDARY}".encode()
NEAR = (b"\r\n", b"\r\n--", EDGE[:-1], EDGE[2:], b"-", b"hello", b"\0")


@settings(max_examples=300)
@given(st.lists(st.sampled_from(NEAR)).map(b"".join), st.lists(st.integers(1, 60), max_size=40))
async def test_a_file_is_the_same_in_whatever_pieces_it_comes(data: bytes, sizes: Sequence[int]) -> None:
    body, pieces = form(data), []
    for size in sizes:
        pieces.append(body[:size])
        body = body[size:]

    # No sender chooses a boundary that is in its file.
    assume(EDGE not in b"\r\n" + data)
    upload = await read(*pieces, body)

    assert (upload.data, name_in(upload.disposition)) == (data, "a.txt")


BEGINNINGS = st.sampled_from(
    [b"", b"boundary=", b'boundary="', b"boundary*=utf-8''", b"charset=x; boundary="]
)


@settings(max_examples=500)
@given(
    st.builds(
        lambda name, words: b"multipart/form-data;" + name + words, BEGINNINGS, st.binary(max_size=100)
    ),
    st.lists(st.sampled_from((*NEAR, EDGE, b"--", b":", DISPOSITION.encode(), b"\xff")), max_size=20).map(
        b"".join
    ),
)
async def test_whatever_is_sent_is_read_or_refused(content_type: bytes, body: bytes) -> None:
    for given_type in (content_type, CONTENT_TYPE):
        try:
            await read(body, content_type=given_type)
        except Refused:
            pass


async def read(*pieces: bytes, content_type: bytes = CONTENT_TYPE) -> Upload:
    """As the server reads it."""
    headers = [(b"content-type", content_type)]
    waiting = list(pieces)

    async def receive() -> dict[str, object]:
        piece = waiting.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(waiting)}

    request = Request({"type": "http", "headers": headers}, receive)
    return await read_upload(request, 10 * MEBIBYTE, count=lambda _: None)
