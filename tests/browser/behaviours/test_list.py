"""The list of chats: pinned ones in their own order, and the agents of a chat below it."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.looking import accessibility, shot
from tests.browser.program import Server
from tests.traceability import proves

# An agent that works for an hour, while the chat that it works for has ended its turn.
DELEGATE = (
    'call spawn_agent {"type": "general", "title": "Counter", "prompt": "say Counting.\\nwait 3600"}\n'
    "next\nsay It counts."
)

OWN_SERVER = True


def chat_list(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Chats")


def pinned(page: Page) -> Locator:
    return page.get_by_role("region", name="Pinned").locator("a[data-chat]")


def pin(server: Server, title: str, place: int) -> str:
    chat_id = server.start_chat("say Hello.", title=title)
    server.ask("PATCH", f"/chats/{chat_id}", {"pin_order": place})
    return chat_id


@proves("web-ui", 7)
def test_pinned_chats_are_put_in_an_order_that_stays(signed_in: Page, server: Server) -> None:
    page = signed_in
    ids = [pin(server, title, place) for place, title in enumerate(("One", "Two", "Three"), 1)]
    expect(pinned(page)).to_have_text([re.compile("^One"), re.compile("^Two"), re.compile("^Three")])
    place = pinned(page).first.bounding_box()
    assert place is not None

    pinned(page).last.hover()
    page.mouse.down()
    page.mouse.move(place["x"] + 60, place["y"] + 4, steps=8)
    shot(page, "pins-dragged")
    page.mouse.up()
    expect(pinned(page)).to_have_text([re.compile("^Three"), re.compile("^One"), re.compile("^Two")])
    # A link that is dragged is not followed.
    assert "/chats/" not in page.url

    pinned(page).filter(has_text="Two").focus()
    with page.expect_response("**/api/v1/chats/*/mark"):
        page.keyboard.press("Alt+Shift+ArrowUp")
    expect(pinned(page)).to_have_text([re.compile("^Three"), re.compile("^Two"), re.compile("^One")])
    expect(pinned(page).filter(has_text="Two")).to_be_focused()
    assert accessibility(page) == []

    page.reload()
    expect(pinned(page)).to_have_text([re.compile("^Three"), re.compile("^Two"), re.compile("^One")])
    for chat_id in ids:
        server.ask("PATCH", f"/chats/{chat_id}", {"pin_order": 0})


@proves("web-ui", 5, 6)
def test_agents_are_listed_below_the_chat_that_they_work_for(signed_in: Page, server: Server) -> None:
    page = signed_in
    chat_id = server.start_chat(DELEGATE, title="Delegating")
    agents = page.get_by_role("list", name="Agents of Delegating")

    # The chat rests and its agent does not: that is seen without a click.
    expect(agents.get_by_role("link", name="Counter")).to_contain_text("Working…")
    expect(chat_list(page).locator("a[data-chat]").filter(has_text="Counter")).to_have_count(1)
    assert accessibility(page) == []
    shot(page, "tree")

    page.get_by_role("button", name="Hide 1 agent of Delegating").click()
    expect(agents).to_have_count(0)
    chat_list(page).get_by_role("link", name="Delegating").click(button="right")
    archive = page.get_by_role("menuitem", name="Archive")
    expect(archive).to_contain_text("Not while an agent works for it.")
    expect(archive).to_be_disabled()
    shot(page, "tree-menu")
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Show 1 agent of Delegating").click()
    agents.get_by_role("link", name="Counter").click()
    expect(page.get_by_role("article", name="Agent")).to_contain_text("Counting.")
    page.reload()
    expect(agents.get_by_role("link", name="Counter")).to_have_attribute("aria-current", "page")

    server.ask("POST", f"/chats/{chat_id}/interrupt")
    expect(agents.get_by_role("link", name="Counter")).not_to_contain_text("Working…")


def test_from_one_chat_to_the_next_by_keyboard(signed_in: Page, server: Server) -> None:
    page = signed_in
    for title in ("Older", "Newer"):
        page.goto(f"{server.address}/chats/{server.start_chat('say Hello.', title=title)}")
        expect(page.get_by_role("button", name="Details of this message")).to_be_attached()
    page.goto(f"{server.address}/new")
    expect(chat_list(page).get_by_role("link", name="Newer")).to_be_visible()

    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_role("heading", level=1)).to_have_text("Newer")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_role("heading", level=1)).to_have_text("Older")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_role("heading", level=1)).to_have_text("Newer")
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("heading", name="What shall the agent do?")).to_be_visible()
