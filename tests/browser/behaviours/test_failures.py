"""What goes wrong says so in its own place, and leaves the rest of the page as it is."""

from playwright.sync_api import Page, Route, expect

from tests.browser.chatting import agent, is_at_rest, open_chat, send
from tests.browser.looking import Watch, shot
from tests.browser.program import Server


def test_a_part_whose_code_cannot_be_loaded_says_so_and_the_chat_goes_on(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    # As after an upgrade: what a page of the old server asks for is not there any more.
    page.route("**/assets/RightPanel*", lambda route: route.fulfill(status=404))
    open_chat(page, server, "say Hello.")
    is_at_rest(page)
    page.get_by_role("button", name="Show details").click()

    expect(page.get_by_role("alert")).to_contain_text("The panel could not be shown.")
    shot(page, "panel-not-loaded")
    send(page, "say Still here.")
    expect(agent(page).last).to_contain_text("Still here.")

    page.unroute("**/assets/RightPanel*")
    page.get_by_role("button", name="Load the page again").click()
    expect(page.get_by_role("tab", name="Context")).to_be_visible()
    watch.expect("404|Failed to fetch|RightPanel")


def test_a_stop_that_fails_is_told_of_where_no_button_is_and_can_be_tried_again(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in

    def refuse(route: Route) -> None:
        route.fulfill(status=500, json={"error": {"code": "internal", "message": "Something broke."}})

    open_chat(page, server, "say On and on.\nwait 3600")
    expect(agent(page)).to_contain_text("On and on.")
    send(page, "say Not any more.")
    page.route("**/interrupt", refuse)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Something broke.", exact=True)).to_be_visible()
    shot(page, "not-stopped")

    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("say Not any more.")).to_have_count(0)
    page.unroute("**/interrupt")
    page.get_by_role("button", name="Stop", exact=True).click()
    is_at_rest(page)
    watch.expect("500")
