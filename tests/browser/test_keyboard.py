"""The whole way by keyboard alone."""

from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, open_chat
from tests.browser.looking import Watch, accessibility, shot
from tests.browser.program import Server


def test_a_person_signs_in_asks_stops_and_finds_the_chat_again_without_a_mouse(
    page: Page, server: Server, watch: Watch
) -> None:
    page.goto(server.address)
    page.get_by_label("Token").wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type((server.home / "data" / "admin-token").read_text().strip())
    page.keyboard.press("Enter")

    message = page.get_by_role("textbox", name="Message")
    expect(message).to_be_focused()
    page.keyboard.type("say Slowly.")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("wait 3600")
    page.keyboard.press("Enter")
    answer = page.get_by_role("article", name="Agent")
    expect(answer).to_contain_text("Slowly.")
    page.keyboard.press("Escape")
    expect(answer).to_have_attribute("aria-busy", "false")

    page.keyboard.press("Control+k")
    palette = page.get_by_role("combobox", name="Search chats and commands")
    expect(palette).to_be_focused()
    assert accessibility(page) == []
    shot(page, "palette")
    page.keyboard.press("Escape")
    expect(palette).to_have_count(0)
    watch.expect("401")


def test_a_person_answers_what_is_asked_and_goes_through_the_panel_and_the_settings_without_a_mouse(
    signed_in: Page, server: Server
) -> None:
    page = signed_in
    open_chat(page, server, 'call execute {"command": "make"}\nnext\nsay As you like.')
    expect(page.get_by_role("heading", name="May the agent do this?")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("n")
    expect(page.get_by_role("textbox", name="Why not")).to_be_focused()
    page.keyboard.type("There is no Makefile.")
    page.keyboard.press("Enter")
    expect(agent(page).last).to_contain_text("As you like.")

    page.keyboard.press("Control+.")
    tabs = page.get_by_role("tablist", name="Details of the chat").get_by_role("tab")
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Context")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+.")
    expect(tabs).to_have_count(0)

    page.keyboard.press("Control+k")
    page.keyboard.type("sett")
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation", name="Settings")).to_be_visible()
