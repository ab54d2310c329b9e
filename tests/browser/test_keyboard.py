"""The whole way by keyboard alone, and what axe says of each page."""

import pytest
from playwright.sync_api import Page, expect

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


@pytest.mark.parametrize("path", ["/", "/settings", "/nowhere"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(signed_in: Page, server: Server, watch: Watch, path: str, scheme: str) -> None:
    page = signed_in
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of the words it takes
    page.goto(server.address + path)
    page.get_by_role("main").wait_for()

    assert accessibility(page) == []
    shot(page, f"page{path.replace('/', '-')}-{scheme}")
