"""What somebody with a public link, or without one, may try."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.sharing.links import CODE_BYTES
from chatd.accounts.tokens.tokens import hash_of
from chatd.api.app import build
from chatd.api.serving.limits.admission import RequestLimits
from chatd.domain.ids import ChatId, UserId
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.kit.sealed_numbers import SealedNumbers
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Answer, Client
from tests.api.guests.scene import everything, upload
from tests.api.guests.words import LINKS_ON, PUBLIC, Guest, make_link
from tests.api.websockets import opened
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves
from tests.words import failure


@pytest.fixture
def app(store: Store) -> ASGIApp:
    limits = RequestLimits(guests_per_minute=0)
    return build(store, catalog_store=some_catalog_store(store), policy=LINKS_ON, limits=limits)


@pytest.fixture
async def shared(client: Client, store: Store, owner: UserId) -> Any:
    """A chat with everything in it, and a link that shows as much as one can."""
    chat_id = (await everything(client, store, owner)).chat_id
    return await make_link(client, chat_id, live=True, include=["files", "reasoning", "tools"]) | {
        "chat_id": chat_id
    }


async def asked(app: ASGIApp, path: str, headers: Mapping[str, str | list[str]]) -> Answer:
    return await Client(app, address="192.0.2.7").ask("GET", f"{PUBLIC}/{path}", headers=headers)


NOT_CODES = {
    "nothing": "",
    "a space": " ",
    "one letter less": lambda code: code[:-1],
    "one letter more": lambda code: f"{code}A",
    "another letter": lambda code: code[:-1] + ("A" if code[-1] != "A" else "B"),
    "other case": lambda code: code.swapcase(),
    "its hash": hash_of,
    "the id of the link": "id",
    "the id of the chat": "chat_id",
    "a wildcard": "%",
    "an end of a query": "' OR '1'='1",
    "a NUL": "\\u0000",
    "very long": "A" * 100_000,
    "bytes beyond ASCII": "\u00e9" * 43,
}


@pytest.mark.parametrize("guess", NOT_CODES)
async def test_a_guess_is_answered_like_any_other(app: ASGIApp, shared: Any, guess: str) -> None:
    rule: Any = NOT_CODES[guess]
    shown = rule(shared["code"]) if callable(rule) else shared.get(rule, rule)

    answer = await asked(app, "chat", {"authorization": f"Guest {shown}"})

    assert (answer.status, answer.error["code"]) == (404, "link_not_found")
    assert answer.body == (await asked(app, "chat", {"authorization": "Guest wrong"})).body


def test_a_code_cannot_be_guessed() -> None:
    assert CODE_BYTES * 8 >= 256


HEADERS: Mapping[str, Any] = {
    "no way at all": {},
    "another scheme": {"authorization": "Basic CODE"},
    "as a token": {"authorization": "Bearer CODE"},
    "without a scheme": {"authorization": "CODE"},
    "in the address of the header": {"authorization": "Guest", "x-guest": "CODE"},
    "as a cookie": {"cookie": "chatd=CODE; guest=CODE"},
    "twice": {"authorization": ["Guest CODE", "Guest CODE"]},
    "two in one": {"authorization": "Guest CODE, Guest CODE"},
    "for somebody else": {"authorization": "Guest CODE", "x-chatd-user": "@admin"},
    "as the proxy would": {"x-remote-user": "owner", "x-forwarded-user": "owner"},
    "by another method": {"x-http-method-override": "DELETE"},
}


@pytest.mark.parametrize("trick", HEADERS)
@pytest.mark.parametrize("path", ["chat", "messages", "files/1", "stream"])
async def test_a_code_counts_in_one_place_and_by_itself(
    app: ASGIApp, shared: Any, trick: str, path: str
) -> None:
    sent = {
        name: [
            each.replace("CODE", shared["code"]) for each in ([value] if isinstance(value, str) else value)
        ]
        for name, value in HEADERS[trick].items()
    }

    answer = await asked(app, path, sent)

    assert (answer.status, answer.error["code"]) == (404, "link_not_found")


async def test_a_code_in_the_address_is_no_code_and_is_not_taken(app: ASGIApp, shared: Any) -> None:
    code = shared["code"]
    for path in (f"chat?code={code}", f"chat?token={code}", f"stream?cursor={code}", f"messages?code={code}"):
        assert (await asked(app, path, {})).status == 400
    assert (await asked(app, f"chat/{code}", {})).status == 404
    assert (await Client(app).get(f"/s/{code}")).status == 404


async def test_which_host_and_which_peer_a_request_names_changes_nothing(app: ASGIApp, shared: Any) -> None:
    """Addresses that others name are believed only of trusted proxies."""
    guest = {"authorization": f"Guest {shared['code']}"}
    forged = {"x-forwarded-for": "10.0.0.1", "x-real-ip": "10.0.0.1", "forwarded": "for=10.0.0.1"}
    plain = await asked(app, "chat", guest)
    other = await asked(app, "chat", {**guest, **forged, "x-forwarded-host": "evil.example"})

    assert other.body == plain.body


async def test_the_limit_of_an_address_is_not_escaped_by_naming_another(store: Store, shared: Any) -> None:
    app = build(store, policy=LINKS_ON, limits=RequestLimits(guests_per_minute=2))
    guest = {"authorization": f"Guest {shared['code']}"}

    told = [
        (await asked(app, "chat", {**guest, "x-forwarded-for": f"10.0.0.{number}"})).status
        for number in range(4)
    ]

    assert told == [200, 200, 429, 429]


async def test_nothing_of_another_chat_is_reached_from_a_link(
    app: ASGIApp, store: Store, client: Client, owner: UserId, shared: Any
) -> None:
    """Neither by numbers, nor by names of another link, nor by ids of files."""
    other = await everything(client, store, owner)
    other_link = await make_link(client, other.chat_id, live=True, include=["files", "tools"])
    unlinked = await upload(client, "of-nobody.txt")
    guest, elsewhere = Guest(app, shared["code"]), Guest(app, other_link["code"])
    names = [each["id"] for each in await elsewhere.messages()]

    ids = [other.attachment, other.picture, unlinked, *names, other.chat_id, "..", "%2e%2e", "a/../b"]
    ids += [f"{name}.{file}" for name in names for file in (other.attachment, other.picture)]
    own = SealedNumbers(shared["id"])
    ids += [f"{own.seal(number)}.{other.attachment}" for number in range(12)]
    for file_id in ids:
        assert (await guest.get(f"files/{file_id}")).status == 404, file_id
    for name in names:
        assert (await guest.get(f"messages?before={name}")).error["code"] == "bad_cursor"


async def test_a_name_that_is_made_up_leads_nowhere_and_one_beyond_the_end_to_the_end(
    app: ASGIApp, store: Store, client: Client, shared: Any
) -> None:
    stopped = await make_link(client, shared["chat_id"])
    await transact(store, ChatId(shared["chat_id"]), FailTurn(failure=failure()))
    await client.post(
        f"{CHATS}/{shared['chat_id']}/messages", {"content": [{"type": "text", "text": "SECRET later words"}]}
    )
    guest, numbers = Guest(app, stopped["code"]), SealedNumbers(stopped["id"])

    for name in ("1", "-1", "0", "999999999999999999", "A" * 22, "A" * 23, "é" * 22, "null"):
        assert (await guest.get(f"messages?before={name}")).status == 400, name
    # Whoever could make one up would still see no more.
    for number in (2**62, 2**63 - 1, 100):
        page = await guest.get(f"messages?before={numbers.seal(number)}")
        assert b"SECRET" not in page.body


@proves("people", 30)
async def test_the_cursor_of_a_full_stream_is_worth_nothing(
    app: ASGIApp, client: Client, shared: Any
) -> None:
    full = await client.ask(
        "GET", f"{CHATS}/{shared['chat_id']}/stream", headers={"accept": "text/event-stream"}
    )
    cursors = set(re.findall(rb'"cursor":"([^"]+)"', full.body))
    assert cursors
    guest = Guest(app, shared["code"])
    anew = (await guest.get("stream", accept="text/event-stream")).body
    assert b"cursor" not in anew
    assert b"\nid:" not in anew

    for cursor in cursors:
        assert (await guest.get(f"stream?cursor={cursor.decode()}")).status == 400
        came_back = await guest.get(
            "stream", **{"accept": "text/event-stream", "last-event-id": cursor.decode()}
        )
        assert came_back.body == anew


async def test_a_page_of_others_opens_no_stream_with_a_code(app: ASGIApp, shared: Any) -> None:
    headers = {"authorization": f"Guest {shared['code']}", "host": "chatd.example"}

    began = await opened(app, f"{PUBLIC}/stream", headers={**headers, "origin": "https://evil.example"})
    assert (began["status"], b"cross_site" in began["body"]) == (403, True)
    own = await opened(app, f"{PUBLIC}/stream", headers={**headers, "origin": "http://chatd.example"})
    assert own["type"] == "websocket.accept"


async def test_a_code_is_never_said_back(
    app: ASGIApp, shared: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """In no answer, no header, no subprotocol and no log."""
    guest = Guest(app, shared["code"])
    answers = [await guest.get(path) for path in ("chat", "messages", "files/1", "messages?before=1")]
    answers.append(await guest.get("stream", accept="text/event-stream"))
    began = await guest.over_websocket()

    assert not [each for each in answers if shared["code"] in f"{each.headers}{each.body!r}"]
    assert shared["code"] not in str(began)
    assert shared["code"] not in capsys.readouterr().out


async def test_every_answer_is_for_nobody_to_keep_or_to_find(app: ASGIApp, shared: Any) -> None:
    for code in (shared["code"], "wrong"):
        for path in ("chat", "messages", "files/1", "stream", "messages?limit=0"):
            headers = (await Guest(app, code).get(path)).headers
            assert headers["cache-control"] == "no-store", path
            assert headers["x-robots-tag"] == "noindex, nofollow", path
            assert headers["referrer-policy"] == "no-referrer", path
            assert "set-cookie" not in headers


async def test_an_unknown_code_and_one_that_has_ended_cost_the_same(
    app: ASGIApp, store: Store, client: Client, shared: Any
) -> None:
    """One look-up by an index, whatever it finds: counted, since a test cannot measure time."""
    looks: list[str] = []

    class Looking:
        def __init__(self, tx: Any) -> None:
            self._tx = tx

        async def one(self, query: str, *args: object) -> Any:
            looks.append(query)
            return await self._tx.one(query, *args)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._tx, name)

    class LookedAt:
        def __getattr__(self, name: str) -> Any:
            return getattr(store.db, name)

        async def read(self, body: Any, **paces: Any) -> Any:
            return await store.db.read(lambda tx: body(Looking(tx)), **paces)

    counted = build(Store(LookedAt(), store.hints), policy=LINKS_ON)
    ended = await make_link(client, shared["chat_id"])
    await client.delete(f"{CHATS}/{shared['chat_id']}/links/{ended['id']}")

    asked_for = []
    for code in ("wrong", "", ended["code"]):
        looks.clear()
        await Guest(counted, code).get("chat")
        asked_for.append(list(looks))
    off = build(Store(LookedAt(), store.hints))
    looks.clear()
    await Guest(off, shared["code"]).get("messages")
    assert asked_for == [["link_of_code"]] * 3
    assert looks == ["link_of_code"]
