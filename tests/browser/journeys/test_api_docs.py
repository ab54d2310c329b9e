"""The description of the API: read by anyone, and tried out with a token."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.browser.looking import Watch, accessibility, shot
from tests.browser.program import Server, free_port, serving
from tests.browser.proxy import Proxy, listening

PREFIX = "/agents"
PHONE: ViewportSize = {"width": 390, "height": 844}
LINKS_ON = {"CHATD_PUBLIC_LINKS": "true"}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Below a path, as a proxy serves it."""
    port = free_port()
    home = tmp_path_factory.mktemp("server")
    with (
        serving(home, public_url=f"http://127.0.0.1:{port}{PREFIX}", more=LINKS_ON) as started,
        listening(Proxy(port, PREFIX, started.port, strips=True)),
    ):
        yield started


def authorize(page: Page, scheme: str, secret: str, *, picture: str) -> None:
    page.get_by_role("button", name="Authorize").first.click()
    way = page.locator(".auth-container").filter(has=page.locator(f"h4 code:text-is('{scheme}')"))
    way.get_by_role("textbox").fill(secret)
    shot(page, picture)
    way.get_by_role("button", name="Apply credentials").click()
    way.get_by_role("button", name="Close").click()


def operation(page: Page, tag: str, name: str) -> Locator:
    """It is opened first, as is its group."""
    section = page.locator(f"#operations-tag-{tag}")
    expect(section).to_be_visible()
    if section.get_attribute("data-is-open") != "true":
        section.click()
    found = page.locator(f"#operations-{tag}-{name}")
    found.locator(".opblock-summary").click()
    return found


def executed(found: Locator) -> Locator:
    """What came back."""
    found.get_by_role("button", name="Try it out").click()
    found.get_by_role("button", name="Execute").click()
    return found.locator(".live-responses-table")


def test_who_types_a_token_tries_it_out_and_the_token_is_forgotten(
    page: Page, server: Server, watch: Watch
) -> None:
    page.goto(f"{server.address}/api/docs")
    expect(page.get_by_role("heading", level=1)).to_contain_text("chatd")
    shot(page, "api-docs")

    token = (server.home / "data" / "admin-token").read_text().strip()
    authorize(page, "token", token, picture="api-docs-authorize")
    answer = executed(operation(page, "Chats", "create_chat"))
    expect(answer).to_contain_text("Name three planets.")
    expect(answer).to_contain_text("201")
    expect(answer.or_(page.locator(".curl-command")).first).to_contain_text("Bearer TOKEN")
    assert token not in page.content()
    shot(page, "api-docs-tried")
    assert len(server.ask("GET", "/chats")["chats"]) == 1

    page.reload()
    expect(executed(operation(page, "Account", "list_permits"))).to_contain_text("unauthenticated")
    assert page.evaluate("({...localStorage, ...sessionStorage})") == {}
    watch.expect("401")


def test_who_types_the_code_of_a_public_link_reads_its_chat(page: Page, server: Server) -> None:
    chat_id = server.ask("POST", "/chats", {"content": [{"type": "text", "text": "Name two moons."}]})["id"]
    code = server.ask("POST", f"/chats/{chat_id}/links", {})["code"]
    page.goto(f"{server.address}/api/docs")

    authorize(page, "guest", f"Guest {code}", picture="api-docs-authorize-guest")
    answer = executed(operation(page, "Guests", "list_public_messages"))

    expect(answer).to_contain_text("Name two moons.")
    expect(page.locator(".curl-command").first).to_contain_text("Guest CODE")
    assert code not in page.content()
    shot(page, "api-docs-guest")


def test_a_browser_that_is_signed_in_does_nothing_there_without_a_token(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    signed_in.goto(f"{server.address}/api/docs")

    expect(executed(operation(signed_in, "Account", "get_own_account"))).to_contain_text("unauthenticated")
    watch.expect("401")


def test_it_can_be_read_in_light_and_dark(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/api/docs")
    found = operation(page, "Turns", "interrupt_turn")
    found.get_by_role("button", name="Try it out").click()

    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        # How it is built is not ours; whether it can be read is.
        assert [each for each in accessibility(page) if each.startswith("color-contrast")] == []
        shot(page, f"api-docs-{scheme}")


def test_on_a_phone_it_fits(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport=PHONE, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(f"{server.address}/api/docs")
    operation(page, "Files", "add_file").get_by_role("button", name="Try it out").click()
    shot(page, "api-docs-phone")

    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    context.close()
