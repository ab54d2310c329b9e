from playwright.sync_api import Page, expect

from tests.browser.looking import accessibility, drawn_colour, shot
from tests.browser.program import Server

OWN_SERVER = True

SCRIPT = "say The four large moons are\nsay Io, Europa, Ganymede and Callisto."


def test_a_first_message_is_answered_and_saved(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.get_by_role("textbox", name="Message").fill(SCRIPT)
    button = page.get_by_role("button", name="Send")
    button.hover()
    red, _green, blue = drawn_colour(page, button)
    assert blue - red > 100, "its arrow is white"
    button.click()

    answer = page.get_by_role("article", name="Agent")
    expect(answer).to_contain_text("Io, Europa, Ganymede and Callisto.")
    expect(answer).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("article", name="You")).to_have_count(1)
    assert accessibility(page) == []
    shot(page, "first-message")

    page.reload()
    expect(page.get_by_role("article", name="Agent")).to_contain_text("Callisto")
    (chat,) = server.ask("GET", "/chats")["chats"]
    assert chat["id"] in page.url


def test_words_are_shown_as_they_come(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.get_by_role("textbox", name="Message").fill("say Wait for it:\nwait 3600\nsay done")
    page.get_by_role("button", name="Send").click()

    answer = page.get_by_role("article", name="Agent")
    expect(answer).to_contain_text("Wait for it:")
    expect(answer).to_have_attribute("aria-busy", "true")
    shot(page, "streaming")

    page.get_by_role("button", name="Stop").click()
    expect(answer).to_have_attribute("aria-busy", "false")
    expect(answer).to_contain_text("Wait for it:")
