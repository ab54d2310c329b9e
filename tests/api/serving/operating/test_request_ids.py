import pytest
from structlog.testing import capture_logs

from tests.api.client import CHATS, Client


async def test_every_answer_has_an_id_of_its_own(client: Client, anonymous: Client) -> None:
    answers = [await client.get(CHATS), await anonymous.get(CHATS), await client.get("/nowhere")]

    assert len({answer.headers["x-request-id"] for answer in answers}) == 3


async def test_a_sane_id_of_the_caller_is_kept(client: Client) -> None:
    answer = await client.ask("GET", CHATS, headers={"X-Request-Id": "trace-1.2:3"})

    assert answer.headers["x-request-id"] == "trace-1.2:3"


@pytest.mark.parametrize("given", ["", "two words", "line\nbreak", "x" * 101, "ä", '"quoted"'])
async def test_an_id_that_could_forge_a_line_is_replaced(client: Client, given: str) -> None:
    answer = await client.ask("GET", CHATS, headers={"X-Request-Id": given})

    assert answer.headers["x-request-id"] != given


async def test_a_request_leaves_one_line_with_nothing_that_was_said(client: Client) -> None:
    chat = await client.start_chat("secret words")

    with capture_logs() as logs:
        answer = await client.patch(f"{CHATS}/{chat['id']}", {"title": "secret title"})

    (line,) = logs
    assert line.pop("milliseconds") >= 0
    assert line == {
        "event": "request.finished",
        "log_level": "info",
        "method": "PATCH",
        "route": "/api/v1/chats/{chat_id}",
        "status": 200,
        "request_id": answer.headers["x-request-id"],
        "user": "owner",
    }


async def test_a_refused_request_leaves_a_line_too(anonymous: Client) -> None:
    with capture_logs() as logs:
        await anonymous.get(CHATS)
        await anonymous.get("/nowhere?token=secret")

    assert [(line["route"], line["status"], line["user"]) for line in logs] == [
        (CHATS, 401, None),
        (None, 404, None),
    ]


async def test_probes_are_no_news(anonymous: Client, client: Client) -> None:
    with capture_logs() as logs:
        await anonymous.get("/healthz")
        await anonymous.get("/readyz")
        await client.get("/metrics")
        await client.get(CHATS)

    assert [(line["route"], line["log_level"]) for line in logs] == [
        ("/healthz", "debug"),
        ("/readyz", "debug"),
        ("/metrics", "debug"),
        (CHATS, "info"),
    ]
