"""The description as anyone gets it: small, once, and not too often."""

import asyncio
import gzip

import pytest
from starlette.types import Message

from chatd.api.app import build
from chatd.api.openapi.document import document
from chatd.api.serving.limits.admission import RequestLimits
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.house.repository import read

OPENAPI = "/api/v1/openapi.json"


async def test_anyone_may_read_the_description(anonymous: Client) -> None:
    answer = await anonymous.get(OPENAPI)

    assert (answer.status, answer.body) == (200, document())
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_it_has_nothing_of_the_server_that_sends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is public in the repository is all there is."""
    monkeypatch.setenv("CHATD_ADMIN_TOKEN", "a-secret-of-this-very-server")
    monkeypatch.setenv("CHATD_PUBLIC_URL", "https://hidden.example/chatd")

    assert document().decode() == read("docs/reference/openapi.json")


async def test_it_travels_compressed_to_who_takes_that(anonymous: Client) -> None:
    answer = await anonymous.ask("GET", OPENAPI, headers={"accept-encoding": "br, gzip"})

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(answer.body) == document()
    assert len(answer.body) < len(document()) / 8


async def test_who_has_it_is_not_sent_it_again(anonymous: Client) -> None:
    first = await anonymous.get(OPENAPI)

    again = await anonymous.ask("GET", OPENAPI, headers={"if-none-match": first.headers["etag"]})
    other = await anonymous.ask("GET", OPENAPI, headers={"if-none-match": '"another"'})

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status, again.body) == (304, b"")
    assert (other.status, other.body) == (200, first.body)


async def test_one_address_gets_it_so_often_in_a_minute_and_others_are_not_held_up(store: Store) -> None:
    app = build(store, limits=RequestLimits(descriptions_per_minute=2))
    here, there = Client(app), Client(app, address="192.0.2.9")

    answers = [await here.get(OPENAPI) for _ in range(3)]

    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[-1].error["code"] == "too_many_requests"
    assert int(answers[-1].headers["retry-after"]) > 0
    assert (await there.get(OPENAPI)).status == 200


async def test_what_a_stranger_does_not_take_counts_for_their_address(store: Store) -> None:
    app = build(store, limits=RequestLimits(held_bytes_per_user_max=len(document())))
    taking = asyncio.Event()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            taking.set()
            await asyncio.Event().wait()

    stuck = asyncio.ensure_future(app(scope(), _nothing, send))
    await taking.wait()
    refused = await Client(app).get(OPENAPI)
    stuck.cancel()
    await asyncio.wait([stuck])

    assert (refused.status, refused.error["code"]) == (429, "too_much_at_once")
    assert (await Client(app).get(OPENAPI)).status == 200


def scope() -> dict[str, object]:
    return {
        "type": "http",
        "method": "GET",
        "path": OPENAPI,
        "raw_path": OPENAPI.encode(),
        "query_string": b"",
        "headers": [],
        "client": ("127.0.0.1", 1),
    }


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}
