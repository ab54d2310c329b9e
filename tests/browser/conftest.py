"""Journeys in a real browser, against a real server with the scripted model.

Playwright's synchronous calls keep an event loop in their thread, in which no async test could run. So the
browser lives for one module, like the server: both are gone before a test of another module begins.
"""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests.browser.looking import Watch, shot
from tests.browser.program import Server, serving
from tools.chromium import WHAT_TO_DO, find_program

# Generous: nothing that is waited for takes as long, also on a busy machine.
PATIENCE_MILLISECONDS = 30_000
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[_FAILED] = report.failed
    return report


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Of all modules that change nothing but chats of their own. To start one takes as long as a journey."""
    with serving(tmp_path_factory.mktemp("shared-server")) as started:
        yield started


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("own-server")) as started:
        yield started


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Server:
    """A module that kills its server, sets it up or counts its chats says `OWN_SERVER = True`."""
    is_own = getattr(request.module, "OWN_SERVER", False)
    found: Server = request.getfixturevalue("own_server" if is_own else "shared_server")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = find_program()
    if program is None:
        pytest.skip(f"there is no Chromium. {WHAT_TO_DO}")
    # Chromium's own sandbox does not work for root, in containers for example.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=arguments)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def cookies_by_home() -> dict[Path, list[dict[str, object]]]:
    """Not by address: a port may be given to another server."""
    return {}


@pytest.fixture(scope="module")
def cookies(
    browser: Browser, server: Server, cookies_by_home: dict[Path, list[dict[str, object]]]
) -> list[dict[str, object]]:
    """Those of a browser that has signed in, as a person does it; once for each server."""
    if server.home not in cookies_by_home:
        cookies_by_home[server.home] = _sign_in(browser, server)
    return cookies_by_home[server.home]


def _sign_in(browser: Browser, server: Server) -> list[dict[str, object]]:
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.new_link())
    page.get_by_role("textbox", name="Message").wait_for(timeout=PATIENCE_MILLISECONDS)
    found = [dict(cookie) for cookie in context.cookies()]
    context.close()
    return found


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE_MILLISECONDS)
    yield opened
    opened.close()


@pytest.fixture
def watches() -> list[tuple[Page, Watch]]:
    return []


@pytest.fixture
def page(
    request: pytest.FixtureRequest,
    context: BrowserContext,
    server: Server,
    watches: list[tuple[Page, Watch]],
) -> Iterator[Page]:
    """A page without a sign-in. A test that fails leaves a screenshot of it."""
    opened = context.new_page()
    watch = Watch(opened, server.address)
    watches.append((opened, watch))
    yield opened
    if request.node.stash.get(_FAILED, False):
        shot(opened, f"failed-{request.node.name}")
    else:
        assert watch.complaints == []


@pytest.fixture
def watch(page: Page, watches: list[tuple[Page, Watch]]) -> Watch:
    """What the page complains about."""
    return watches[0][1]


@pytest.fixture
def signed_in(page: Page, context: BrowserContext, server: Server, cookies: list[dict[str, object]]) -> Page:
    """A page at a new chat."""
    context.add_cookies(cookies)  # type: ignore[arg-type]  # as they were given out
    page.goto(f"{server.address}/")
    page.get_by_role("textbox", name="Message").wait_for()
    return page
