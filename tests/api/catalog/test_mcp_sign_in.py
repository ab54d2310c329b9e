"""Signing in at an MCP server over HTTP, with a browser and without one."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.kit.outbound.reach import Reach
from chatd.storage.transactions.transact import Store
from tests.api.client import Answer, Client
from tests.api.test_refusals import Away, Broken
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import services_at
from tests.traceability import proves

SERVERS = "/api/v1/mcp-servers"
CALLBACK = "/mcp/servers/tracker/oauth2/callback"


@pytest.fixture
async def there() -> AsyncIterator[SignInServer]:
    async with SignInServer() as there:
        yield there


@pytest.fixture
def app(store: Store) -> ASGIApp:
    return build(store, mcp=services_at(store, Reach(private_hosts=True)))


@pytest.fixture
async def tracker(admin: Client, there: SignInServer) -> str:
    body = {"slug": "tracker", "scope": "deployment", "url": there.url, "auth_type": "oauth2"}
    answer = await admin.post(SERVERS, body)
    assert answer.status == 201, answer.body
    return f"{SERVERS}/{answer.json['id']}"


async def opened(client: Client, there: SignInServer, tracker: str) -> str:
    """Where the browser is sent back to."""
    begun = await client.ask("POST", f"{tracker}/oauth2/connect")
    assert begun.status == 200, begun.body
    address = urlsplit(await there.visit(begun.json["authorization_url"]))
    return f"{address.path}?{address.query}"


def code_on(page: Answer) -> str:
    assert page.status == 200, page.body
    return page.body.decode().splitlines()[2].strip()


def said_on(page: Answer) -> str:
    """A person reads it, and no browser keeps or runs it."""
    assert page.headers["content-type"].startswith("text/plain")
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    return page.body.decode()


async def test_a_user_signs_in_finishes_and_is_connected(
    client: Client, anonymous: Client, stranger: Client, there: SignInServer, tracker: str
) -> None:
    before = (await client.get(tracker)).json
    page = await anonymous.get(await opened(client, there, tracker))
    finished = await client.post(f"{tracker}/oauth2/finish", {"code": code_on(page)})

    assert (before["auth_connected"], before["unavailable_reason"]) == (False, "not_connected")
    assert (finished.status, finished.json["auth_connected"]) == (200, True)
    assert (await client.get(SERVERS)).json["mcp_servers"] == [finished.json]
    assert (await stranger.get(tracker)).json["auth_connected"] is False


async def test_the_page_is_text_that_no_browser_keeps_or_runs(
    client: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    said_on(await anonymous.get(await opened(client, there, tracker)))


async def test_a_person_who_was_sent_there_by_another_is_warned(
    client: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    page = await anonymous.get(await opened(client, there, tracker))

    assert b"If another person sent you here, close this page" in page.body
    assert (await client.get(tracker)).json["auth_connected"] is False


@proves("mcp-skills-hooks", 16)
@pytest.mark.parametrize("query", ["", "?code=a", "?state=forged&code=a", "?error=access_denied"])
async def test_a_browser_without_the_right_state_is_refused(
    anonymous: Client, there: SignInServer, tracker: str, query: str
) -> None:
    path = f"/mcp/servers/{tracker.rpartition('/')[2]}/oauth2/callback{query}"

    answer = await anonymous.get(path)

    assert (answer.status, said_on(answer).splitlines()) == (
        400,
        [
            "This did not work.",
            "",
            "This sign-in is not known, is over already, or has taken longer than 10 minutes.",
            "Begin again, in the settings or with `chatd mcp connect`.",
        ],
    )
    assert there.asked_at("/token") == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("&error=access_denied%3Cb%3E", "The sign-in was refused there (access_denied<b>)."),
        ("&state=another", "`state` is given more than once."),
        (f"&error={'x' * 1001}", "`error` must be text of length <= 1000."),
    ],
    ids=["refused there", "repeated", "too long"],
)
async def test_a_person_reads_why_a_sign_in_failed(
    client: Client, anonymous: Client, there: SignInServer, tracker: str, query: str, said: str
) -> None:
    page = await anonymous.get(await opened(client, there, tracker) + query)

    assert (page.status, said_on(page).splitlines()[:3]) == (400, ["This did not work.", "", said])
    assert (await client.get(tracker)).json["auth_connected"] is False


async def test_a_person_reads_that_no_token_was_given(
    client: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    back = await opened(client, there, tracker)
    there.documents["/token"] = {}

    page = await anonymous.get(back)

    assert page.status == 400
    assert "The authorization server was asked for a token, and" in said_on(page)


async def test_a_person_reads_that_the_server_is_gone(
    client: Client, admin: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    back = await opened(client, there, tracker)
    await admin.delete(tracker)

    assert "This sign-in is not known" in said_on(await anonymous.get(back))


@pytest.mark.parametrize(
    ("broken", "status", "said"),
    [
        (Away, 503, "The database cannot be used at the moment."),
        (Broken, 500, "Something went wrong in the server."),
    ],
)
async def test_a_person_reads_that_the_server_cannot_do_it_now(
    store: Store, broken: type[Broken], status: int, said: str
) -> None:
    anonymous = Client(build(Store(broken(store.db.engine), store.hints)))

    page = await anonymous.get(f"{CALLBACK}?state=any")

    assert (page.status, said_on(page).splitlines()[2]) == (status, said)


async def test_a_browser_that_posts_is_told_as_a_page_too(anonymous: Client) -> None:
    page = await anonymous.ask("POST", CALLBACK)

    assert (page.status, said_on(page).splitlines()[2]) == (405, "POST cannot be used here.")


@proves("mcp-skills-hooks", 17)
async def test_a_change_in_between_is_a_conflict(
    client: Client, admin: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    back = await opened(client, there, tracker)
    assert (await admin.patch(tracker, {"url": f"{there.origin}/mcp/"})).status == 200

    answer = await anonymous.get(back)

    assert answer.status == 409
    assert "The MCP server was changed while you signed in. Nothing was kept." in said_on(answer)
    assert (await client.get(tracker)).json["auth_connected"] is False


async def test_a_wrong_code_connects_no_one(
    client: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    await anonymous.get(await opened(client, there, tracker))

    answer = await client.post(f"{tracker}/oauth2/finish", {"code": "BBBB-BBBB"})

    assert (answer.status, answer.error["field"]) == (400, "code")


async def test_a_user_disconnects(
    client: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    page = await anonymous.get(await opened(client, there, tracker))
    await client.post(f"{tracker}/oauth2/finish", {"code": code_on(page)})

    answer = await client.delete(f"{tracker}/oauth2/disconnect")

    assert (answer.status, answer.json) == (200, {"token_revoked": True, "token_revocation_error": None})
    assert (await client.get(tracker)).json["auth_connected"] is False


@proves("mcp-skills-hooks", 23)
async def test_also_from_a_server_that_is_switched_off(
    client: Client, admin: Client, anonymous: Client, there: SignInServer, tracker: str
) -> None:
    page = await anonymous.get(await opened(client, there, tracker))
    await client.post(f"{tracker}/oauth2/finish", {"code": code_on(page)})
    await admin.patch(tracker, {"enabled": False})

    assert (await client.get(tracker)).status == 404
    assert (await client.delete(f"{tracker}/oauth2/disconnect")).json["token_revoked"] is True


async def test_where_users_do_not_sign_in_there_is_nothing_to_begin(admin: Client) -> None:
    body = {"slug": "open", "scope": "deployment", "url": "https://desk.example/mcp"}
    server: Any = (await admin.post(SERVERS, body)).json

    answer = await admin.ask("POST", f"{SERVERS}/{server['id']}/oauth2/connect")

    assert (answer.status, answer.error["code"]) == (409, "no_sign_in")


async def test_a_server_that_tells_nothing_is_refused_with_the_step(
    admin: Client, there: SignInServer
) -> None:
    there.documents["/.well-known/oauth-authorization-server"] = {}
    body = {"slug": "tracker", "scope": "deployment", "url": there.url, "auth_type": "oauth2"}

    answer = await admin.post(SERVERS, body)

    assert (answer.status, answer.error["code"]) == (400, "discovery_failed")
    assert "describes itself" in answer.error["message"]
