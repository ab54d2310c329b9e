"""Messages that wait: put in another order by hand and by keyboard, edited, and taken back."""

import json

from playwright.sync_api import Locator, Page, expect

from tests.browser.looking import accessibility, shot, until
from tests.browser.program import Server


def busy_chat(page: Page, server: Server, *waiting: str) -> str:
    chat_id = server.start_chat("say Busy.\nwait 3600")
    page.goto(f"{server.address}/chats/{chat_id}")
    expect(page.get_by_role("article", name="Agent")).to_contain_text("Busy.")
    for words in waiting:
        server.ask("POST", f"/chats/{chat_id}/messages", {"content": [{"type": "text", "text": words}]})
    expect(rows(page)).to_have_count(len(waiting))
    return chat_id


def rows(page: Page) -> Locator:
    return page.get_by_label("Queue").get_by_role("listitem")


def expect_order(page: Page, server: Server, chat_id: str, *waiting: str) -> None:
    expect(rows(page)).to_contain_text(waiting)
    # What the page shows at once, the server says a moment later.
    until(
        page,
        """async ([address, waiting]) => {
            const chat = await (await fetch(address)).json();
            return JSON.stringify(chat.queue.map((row) => row.content[0].text)) === waiting;
        }""",
        [f"{server.address}/api/v1/chats/{chat_id}", json.dumps(waiting, separators=(",", ":"))],
    )


def test_waiting_messages_are_dragged_into_another_order(signed_in: Page, server: Server) -> None:
    page = signed_in
    chat_id = busy_chat(page, server, "first", "second", "third")
    grip, above = page.get_by_role("button", name="Move third"), rows(page).first
    place = above.bounding_box()
    assert place is not None

    grip.hover()
    page.mouse.down()
    page.mouse.move(place["x"] + 10, place["y"] + 2, steps=6)
    shot(page, "queue-dragged")
    page.mouse.up()

    expect_order(page, server, chat_id, "third", "first", "second")
    assert accessibility(page) == []


def test_waiting_messages_are_moved_by_keyboard_and_edited_with_what_they_carry(
    signed_in: Page, server: Server
) -> None:
    page = signed_in
    chat_id = busy_chat(page, server, "first", "second", "third")

    page.get_by_role("button", name="Move first").focus()
    page.keyboard.press("ArrowDown")
    expect_order(page, server, chat_id, "second", "first", "third")
    expect(page.get_by_role("button", name="Move first")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect_order(page, server, chat_id, "second", "third", "first")
    expect(page.get_by_text("Moved to place 3 of 3")).to_be_attached()

    rows(page).filter(has_text="third").get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("third")
    rows(page).filter(has_text="second").get_by_role("button", name="Remove").click()
    expect_order(page, server, chat_id, "first")
