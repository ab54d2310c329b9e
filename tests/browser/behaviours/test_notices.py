"""Who does not look at a chat is told when its agent is done, if they want that."""

from playwright.sync_api import Page, expect

from tests.browser.looking import accessibility, shot, until
from tests.browser.program import Server

OWN_SERVER = True

# What the system would show.
RECORD = """
    window.shown = [];
    window.Notification = class {
        static permission = "default";
        static async requestPermission() { return (Notification.permission = "granted"); }
        constructor(title, { body }) { window.shown.push([title, body]); }
    };
"""


def test_an_agent_that_is_done_or_needs_somebody_is_told_of(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.add_init_script(RECORD)
    page.goto(f"{server.address}/settings/notices")
    page.get_by_label("Show a notice of the system").click()
    expect(page.get_by_label("Show a notice of the system")).to_be_checked()
    assert accessibility(page) == []
    shot(page, "notices")

    server.start_chat("wait 1\nsay Done.", title="Sums")
    server.start_chat('call execute {"command": "make"}', title="A build", workspace=".")

    until(page, "() => window.shown.length === 2")
    told = sorted(page.evaluate("window.shown"))
    assert told == [["A build", "The agent needs you."], ["Sums", "The agent is done."]]
