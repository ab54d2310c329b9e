"""Every answer that is not a success has one shape, the right status and a sentence."""

import json
import sqlite3

import asyncpg
import pytest
from starlette.types import ASGIApp
from structlog.testing import capture_logs

from chatd.api.app import build
from chatd.api.failures import status_of
from chatd.errors import (
    BadInput,
    InvalidState,
    LimitReached,
    NotAUserMessage,
    Refused,
    TooManyFiles,
    Unavailable,
)
from chatd.live.live import Live
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.queries import SqlEngine
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.clock import HurriedClock

TEXT = {"type": "text", "text": "hello"}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"nonsense",
        b'{"content": [}',
        b"{'content': []}",
        b'{"content": []} and more',
        b'{"content": NaN}',
        b"\xff\xfe{\x00}\x00",
        b'{"content": [{"type": "text", "text": "\xed\xa0\x80"}]}',
        b'{"content": [{"type": "text", "text": "\xff"}]}',
    ],
)
async def test_what_is_not_json_is_refused(client: Client, body: bytes) -> None:
    answer = await client.ask("POST", CHATS, body)

    assert (answer.status, answer.error["code"]) in {(400, "malformed_json"), (400, "no_body")}


@pytest.mark.parametrize("body", [b"[]", b"3", b'"text"', b"null"])
async def test_what_is_no_object_is_refused(client: Client, body: bytes) -> None:
    answer = await client.ask("POST", CHATS, body)

    assert (answer.status, answer.error["code"]) == (400, "bad_value")


@pytest.mark.parametrize("levels", [65, 600, 990, 5_000, 60_000])
async def test_json_that_is_nested_too_deeply_is_refused(client: Client, levels: int) -> None:
    schema = '{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)
    tool = f'{{"name":"t","input_schema":{{"a":{schema}}}}}'
    body = f'{{"content":[{{"type":"text","text":"x"}}],"client_tools":[{tool}]}}'

    answer = await client.ask("POST", CHATS, body.encode())

    assert (answer.status, answer.error["code"]) == (400, "too_deep")


async def test_deep_brackets_alone_are_refused(client: Client) -> None:
    for brackets in (b"[" * 100_000, b'{"content":' + b"[" * 100_000):
        answer = await client.ask("POST", CHATS, brackets)

        assert answer.status == 400


async def test_a_schema_at_the_limit_of_depth_is_kept(client: Client) -> None:
    schema: dict[str, object] = {}
    for _ in range(63):
        schema = {"a": schema}

    await client.start_chat(client_tools=[{"name": "t", "input_schema": schema}])


@pytest.mark.parametrize(
    ("body", "field", "hint"),
    [
        ({"content": [TEXT], "titles": "x"}, "titles", "Did you mean `title`?"),
        ({"contents": [TEXT]}, "contents", "Did you mean `content`?"),
        ({"content": [TEXT | {"txt": "x"}]}, "content[0].txt", "Did you mean `text`?"),
        (
            {"content": [TEXT], "client_tools": [{"name": "a", "input-schema": {}}]},
            "client_tools[0].input-schema",
            "Did you mean `input_schema`?",
        ),
        ({"content": [TEXT], "x`y - at `$.z`": 1}, "x`y - at `$.z`", None),
    ],
)
async def test_an_unknown_field_is_named_with_a_suggestion(
    client: Client, body: object, field: str, hint: str | None
) -> None:
    answer = await client.post(CHATS, body)

    assert (answer.status, answer.error["code"], answer.error["field"]) == (400, "unknown_field", field)
    assert hint is None or answer.error["hint"] == hint


async def test_a_missing_field_is_named(client: Client) -> None:
    answer = await client.post(CHATS, {"title": "x"})

    assert (answer.status, answer.error["code"], answer.error["field"]) == (400, "missing_field", "content")


@pytest.mark.parametrize(
    ("body", "field", "message", "hint"),
    [
        (
            {"content": [TEXT], "client_tools": [{"name": 5}]},
            "client_tools[0].name",
            "`client_tools[0].name` must be text, not a whole number.",
            None,
        ),
        ({"content": {}}, "content", "`content` must be a list, not an object.", None),
        (
            {"content": [TEXT], "labels": []},
            "labels",
            "`labels` must be an object or null, not a list.",
            None,
        ),
        (
            {"content": [TEXT], "model": ""},
            "model",
            "`model` must be text of length >= 1.",
            None,
        ),
        (
            {"content": [TEXT], "reasoning_effort": "very"},
            "reasoning_effort",
            "`reasoning_effort` cannot be 'very'.",
            "It is one of none, minimal, low, medium, high, xhigh, max.",
        ),
        ([], None, "The request must be an object, not a list.", None),
    ],
)
async def test_a_wrong_type_is_named_with_its_place_and_what_would_be_right(
    client: Client, body: object, field: str | None, message: str, hint: str | None
) -> None:
    answer = await client.post(CHATS, body)

    expected = {"code": "bad_value", "message": message, "field": field, "hint": hint}
    assert answer.status == 400
    assert answer.error == {name: value for name, value in expected.items() if value is not None}


async def test_a_field_that_is_called_type_is_a_word_like_any_other(admin: Client) -> None:
    answer = await admin.post("/api/v1/providers", {"type": "acme", "name": "acme"})

    assert (answer.error["message"], answer.error["field"]) == ("`type` cannot be 'acme'.", "type")
    assert answer.error["hint"].startswith("It is one of anthropic, openai, ")


async def test_a_caller_s_long_words_are_not_repeated_whole(client: Client) -> None:
    answer = await client.post(CHATS, {"content": [TEXT], "x" * 100_000: 1})

    assert answer.status == 400
    assert len(answer.body) < 1000


async def test_an_endless_number_is_refused(client: Client) -> None:
    chat = await client.start_chat()
    body = b'{"pin_order":' + b"9" * 10_000 + b"}"

    answer = await client.ask("PATCH", f"{CHATS}/{chat['id']}", body)

    assert answer.status == 400


async def test_a_title_of_a_megabyte_is_too_large(client: Client) -> None:
    chat = await client.start_chat()

    answer = await client.patch(f"{CHATS}/{chat['id']}", {"title": "t" * 1024 * 1024})

    assert (answer.status, answer.error["code"]) == (413, "body_too_large")


# A body is read before its chat is looked for.
SOME_MESSAGES = f"{CHATS}/some/messages"


async def test_a_body_that_announces_no_length_is_cut_off_all_the_same(client: Client) -> None:
    chunk = b" " * 64 * 1024

    answer = await client.ask("POST", SOME_MESSAGES, chunk, chunk, chunk, chunk, b" ", b"never read")

    assert answer.status == 413


async def test_a_body_that_announces_less_than_it_holds_is_cut_off(client: Client) -> None:
    body = b" " * (256 * 1024 + 1)

    answer = await client.ask("POST", SOME_MESSAGES, body, headers={"content-length": "5"})

    assert answer.status == 413


async def test_a_body_of_exactly_the_limit_is_read(client: Client) -> None:
    body = json.dumps({"content": [TEXT]}).encode().ljust(256 * 1024)

    assert (await client.ask("POST", CHATS, body)).status == 201


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/api/v1/chats/", "/api/v2/chats", "/nothing%00", "//"])
async def test_a_path_that_leads_nowhere_is_told_so(client: Client, path: str) -> None:
    answer = await client.get(path)

    assert (answer.status, answer.error["code"]) == (404, "path_not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", CHATS, "GET, HEAD, POST"),
        ("DELETE", CHATS, "GET, HEAD, POST"),
        ("POST", f"{CHATS}/x", "DELETE, GET, HEAD, PATCH"),
        ("OPTIONS", f"{CHATS}/x/messages", "GET, HEAD, POST"),
        ("POST", "/healthz", "GET, HEAD"),
    ],
)
async def test_a_wrong_method_is_told_the_right_ones(
    client: Client, method: str, path: str, allowed: str
) -> None:
    answer = await client.ask(method, path)

    assert (answer.status, answer.error["code"], answer.headers["allow"]) == (405, "wrong_method", allowed)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Basic YWRtaW46YWRtaW4=",
        "Token x",
        "bearer \xff",
        "x" * 9000,
    ],
)
async def test_no_request_without_a_valid_token_is_accepted(anonymous: Client, header: str | None) -> None:
    headers = {"authorization": header} if header is not None else {}
    for method, path in (
        ("GET", CHATS),
        ("POST", CHATS),
        ("GET", f"{CHATS}/x"),
        ("GET", "/api/v1/models"),
    ):
        answer = await anonymous.ask(method, path, headers=headers)

        assert (answer.status, answer.error["code"]) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == 'Bearer realm="chatd"'


async def test_who_asks_is_known_before_what_is_asked(anonymous: Client) -> None:
    """A stranger learns nothing about shapes, and their body is not even read."""
    assert (await anonymous.ask("POST", CHATS, b"{")).status == 401


class Broken:
    """A database that fails at every query, as one does whose server has gone."""

    def __init__(self, engine: SqlEngine) -> None:
        self.engine = engine
        self._error: Exception = (
            sqlite3.OperationalError("disk I/O error: secret path")
            if engine is SqlEngine.SQLITE
            else asyncpg.InterfaceError("connection is closed: secret address")
        )

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        raise self._error

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        raise self._error


@pytest.fixture
def broken(database: Database, store: Store) -> ASGIApp:
    return build(Store(Broken(database.engine), store.hints))


async def test_a_mistake_of_ours_tells_nothing_but_where_to_look(broken: ASGIApp) -> None:
    with capture_logs() as logs:
        answer = await Client(broken, "token").get(CHATS)

    request_id = answer.headers["x-request-id"]
    assert answer.status == 500
    assert answer.error == {
        "code": "internal_error",
        "message": "Something went wrong in the server.",
        "hint": f"An administrator finds it in the log under the request id {request_id}.",
    }
    assert [(line["event"], line["request_id"]) for line in logs] == [
        ("request.failed", request_id),
        ("request.finished", request_id),
    ]


class Away(Broken):
    """A database that may be back soon."""

    def __init__(self, engine: SqlEngine) -> None:
        super().__init__(engine)
        self._error = Unavailable("secret reason")


@pytest.mark.parametrize("path", [CHATS, f"{CHATS}/watch"])
async def test_a_database_that_is_away_is_told_with_a_hint(
    database: Database, store: Store, path: str
) -> None:
    away = Store(Away(database.engine), store.hints)
    client = Client(build(away, Live(away, HurriedClock())), "token")

    answer = await client.ask("GET", path, headers={"accept": "text/event-stream"})

    assert (answer.status, answer.error["code"]) == (503, "database_unavailable")
    assert "try again in a few seconds" in answer.error["hint"]
    assert b"secret" not in answer.body


async def test_a_server_without_its_database_lives_but_is_not_ready(broken: ASGIApp) -> None:
    anonymous = Client(broken)

    assert (await anonymous.get("/healthz")).json == {"status": "ok"}
    answer = await anonymous.get("/readyz")
    assert (answer.status, answer.error["code"]) == (503, "not_ready")
    assert b"secret" not in answer.body


@pytest.mark.parametrize(
    ("kind", "status"),
    [(BadInput, 400), (TooManyFiles, 400), (NotAUserMessage, 400), (InvalidState, 409), (LimitReached, 429)],
)
def test_the_nearest_kind_of_a_refusal_decides_its_status(kind: type[Refused], status: int) -> None:
    assert status_of(kind) == status
