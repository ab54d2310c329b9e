"""The page behind a reverse proxy, below a path, whether the proxy passes the path on or not."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, send
from tests.browser.looking import Watch, shot
from tests.browser.program import Server, free_port, serving
from tests.browser.proxy import Proxy, listening

PREFIX = "/agents"


@pytest.fixture(scope="module", params=[True, False], ids=["without-the-path", "with-the-path"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    port = free_port()
    home = tmp_path_factory.mktemp("server")
    with (
        serving(home, public_url=f"http://127.0.0.1:{port}{PREFIX}") as started,
        listening(Proxy(port, PREFIX, started.port, strips=request.param)),
    ):
        yield started


def test_everything_of_the_page_is_found_below_the_path(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    send(page, 'call attach {"name": "notes.txt", "text": "Remember the milk."}\nnext\nsay Attached.')
    expect(agent(page).last).to_contain_text("Attached.")
    assert page.url.startswith(f"{server.address}/chats/")
    page.get_by_role("button", name="notes.txt text/plain").click()
    expect(page.get_by_role("dialog", name="notes.txt")).to_contain_text("Remember the milk.")
    shot(page, "below-a-path")

    page.reload()
    expect(agent(page).last).to_contain_text("Attached.")
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("navigation", name="Settings")).to_be_visible()
    assert page.url.startswith(f"{server.address}/settings")

    page.get_by_role("button", name="admin").click()
    # The page is loaded anew. A browser that is closed in the middle of that does not always close.
    with page.expect_navigation():
        page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in to chatd")).to_be_visible()
    assert page.url.startswith(f"{server.address}/")
    watch.expect("401")
