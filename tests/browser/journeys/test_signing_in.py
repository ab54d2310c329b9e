from playwright.sync_api import Page, expect

from tests.browser.looking import Watch, accessibility, shot
from tests.browser.program import Server


def test_the_printed_link_signs_in_once_and_leaves_no_trace(page: Page, server: Server, watch: Watch) -> None:
    page.goto(server.link)

    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    assert "#" not in page.url
    assert page.evaluate("document.cookie") == ""
    assert accessibility(page) == []
    shot(page, "signed-in")

    page.context.clear_cookies()
    page.goto(server.link)
    expect(page.get_by_text("This link does not sign in any more")).to_be_visible()
    # Whoever was invited has no terminal of the server.
    expect(page.get_by_text("An administrator makes another one")).to_be_visible()
    shot(page, "sign-in-link-used")
    watch.expect("401")


def test_a_token_signs_in(page: Page, server: Server, watch: Watch) -> None:
    page.goto(f"{server.address}/chats/of/another/day")
    expect(page.get_by_role("heading", name="Sign in to chatd")).to_be_visible()
    assert accessibility(page) == []
    shot(page, "sign-in")

    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("This token is not valid.")).to_be_visible()

    page.get_by_label("Token").fill((server.home / "data" / "admin-token").read_text())
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Chats")).to_be_visible()
    watch.expect("401|404")
