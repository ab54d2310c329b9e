"""A page of a product, at another origin, that calls the API from its script: with a token, and no cookie."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.looking import Watch
from tests.browser.program import Server, serving
from tests.traceability import proves

# What a script at another origin finds out.
CREATE = """async ([api, token]) => {
    const headers = {"Content-Type": "application/json", ...(token && {"Authorization": `Bearer ${token}`})};
    const body = JSON.stringify({content: [{type: "text", text: "say Hello."}]});
    const credentials = token ? "omit" : "include";
    try {
        const answer = await fetch(`${api}/chats`, {method: "POST", headers, body, credentials});
        return `${answer.status} ${answer.headers.get("X-Request-Id") !== null}`;
    } catch {
        return "refused by the browser";
    }
}"""
LISTEN = """([api, token]) => new Promise((resolve) => {
    const address = `${api.replace("http", "ws")}/chats/watch`;
    const socket = new WebSocket(address, ["chatd", `chatd.token.${token}`]);
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
})"""


class EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html>")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def origin() -> Iterator[str]:
    """On this machine: browsers let no page of the internet call here."""
    with ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def allowed() -> Iterator[str]:
    with origin() as address:
        yield address


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, allowed: str) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server"), more={"CHATD_CORS_ORIGINS": allowed}) as started:
        yield started


@proves("people", 82)
def test_scripts_of_an_allowed_origin_call_with_a_token_and_of_others_not_at_all(
    page: Page,
    context: BrowserContext,
    server: Server,
    allowed: str,
    cookies: list[dict[str, object]],
    watch: Watch,
) -> None:
    token = (server.home / "data" / "admin-token").read_text().strip()
    api = f"{server.address}/api/v1"
    # The browser is signed in as well, and that is of no use to pages of others.
    context.add_cookies(cookies)  # type: ignore[arg-type]  # as they were given out

    page.goto(allowed)
    assert page.evaluate(CREATE, [api, token]) == "201 true"
    assert page.evaluate(LISTEN, [api, token]) == "open"
    assert page.evaluate(CREATE, [api, ""]) == "refused by the browser"

    with origin() as another:
        page.goto(another)
        assert page.evaluate(CREATE, [api, token]) == "refused by the browser"
        assert page.evaluate(LISTEN, [api, token]) == "refused"
    assert len(server.ask("GET", "/chats")["chats"]) == 1
    # None of these pages is ours.
    watch.expect("")
