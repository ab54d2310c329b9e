"""Connections end, servers are restarted, and a chat is watched in several places."""

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chatting import agent, send
from tests.browser.conftest import DESKTOP
from tests.browser.looking import Watch, accessibility, shot
from tests.browser.program import Server
from tests.traceability import proves

OWN_SERVER = True

# What a browser says of a server that is not there.
UNREACHABLE = r"ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE|WebSocket"


@proves("web-ui", 67)
def test_a_server_that_is_killed_in_mid_sentence_and_started_again_loses_nothing(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    page.get_by_role("textbox", name="Message").fill("say One moment, please.\nwait 2\nsay Here it is.")
    page.get_by_role("button", name="Send").click()
    answer = page.get_by_role("article", name="Agent")
    expect(answer).to_contain_text("One moment, please.")

    server.kill()
    expect(page.get_by_text("Connection lost")).to_be_visible()
    shot(page, "connection-lost")
    server.start()

    expect(answer.last).to_contain_text("Here it is.")
    expect(answer.last).to_have_attribute("aria-busy", "false")
    expect(page.get_by_text("Here it is.", exact=False).and_(answer.locator("*"))).to_have_count(1)
    shot(page, "connection-regained")
    watch.expect(UNREACHABLE)


@proves("web-ui", 67)
def test_a_message_that_does_not_arrive_is_kept_and_sent_once_when_the_server_is_there_again(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    send(page, "say I am here.")
    expect(agent(page)).to_contain_text("I am here.")

    server.kill()
    send(page, "say Here again.")
    expect(page.get_by_role("alert").filter(has_text="Not sent.")).to_be_visible()
    lost = page.get_by_role("status").filter(has_text="Connection lost.")
    expect(lost).to_contain_text("Trying again")
    assert accessibility(page) == []
    shot(page, "not-sent")
    server.start()
    expect(lost).to_have_count(0)
    page.get_by_role("button", name="Try again").click()

    expect(agent(page).last).to_contain_text("Here again.")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("article", name="You")).to_have_count(2)
    shot(page, "sent-after-all")
    watch.expect(UNREACHABLE)


def test_two_tabs_are_in_step(signed_in: Page, context: BrowserContext, server: Server) -> None:
    first = signed_in
    first.get_by_role("textbox", name="Message").fill("say Said in one tab.")
    first.get_by_role("button", name="Send").click()
    expect(first.get_by_role("article", name="Agent")).to_contain_text("Said in one tab.")
    second = context.new_page()
    second.set_viewport_size(DESKTOP)
    second.goto(first.url)
    expect(second.get_by_role("article", name="Agent")).to_contain_text("Said in one tab.")

    second.get_by_role("textbox", name="Message").fill("say And in the other.")
    second.get_by_role("button", name="Send").click()

    for page in (first, second):
        expect(page.get_by_role("article", name="Agent").last).to_contain_text("And in the other.")
        expect(page.get_by_role("article", name="You")).to_have_count(2)
        expect(page.get_by_role("article", name="Agent")).to_have_count(2)
