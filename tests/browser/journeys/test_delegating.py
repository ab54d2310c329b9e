"""An agent does not work alone: another one works for it, and a second model advises it."""

import json

from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, is_at_rest, open_chat
from tests.browser.looking import accessibility, shot
from tests.browser.program import Server

OWN_SERVER = True

CHILD = {
    "type": "general",
    "title": "Look at the tests",
    "prompt": 'call execute {"command": "echo looked"}\nnext\nsay All of them are fine.',
}
DELEGATING = f"""\
call spawn_agent {json.dumps(CHILD)}
next
call wait_agent {{}}
next
say The tests are fine, says the other agent."""


def test_a_child_asks_is_answered_in_its_own_chat_and_reports_to_its_parent(
    signed_in: Page, server: Server
) -> None:
    page = signed_in
    open_chat(page, server, DELEGATING)
    started = page.get_by_role("group", name="spawn_agent").get_by_role("link", name="Look at the tests")
    expect(started).to_contain_text("needs you")
    expect(page.get_by_role("button", name="Waiting for Look at the tests")).to_be_visible()
    assert accessibility(page) == []
    shot(page, "child-asks")

    started.click()
    expect(page.get_by_role("heading", name="Look at the tests")).to_be_visible()
    expect(page.get_by_role("heading", name="May the agent do this?")).to_be_visible()
    shot(page, "child")
    page.get_by_role("button", name="Allow once").click()
    expect(agent(page).last).to_contain_text("All of them are fine.")
    page.get_by_role("link", name="To the chat that this one works for").click()

    expect(agent(page).last).to_contain_text("The tests are fine, says the other agent.")
    expect(started).to_contain_text("done")
    heard = page.get_by_role("button", name="Heard from Look at the tests")
    heard.click()
    expect(page.get_by_role("group", name="wait_agent")).to_contain_text("All of them are fine.")
    assert accessibility(page) == []
    shot(page, "child-reported")


def test_a_child_is_stopped_with_its_parent(signed_in: Page, server: Server) -> None:
    page = signed_in
    child = {"type": "explore", "title": "Look around", "prompt": "say Looking.\nwait 3600"}
    open_chat(page, server, f"call spawn_agent {json.dumps(child)}\nnext\nwait 3600")
    link = page.get_by_role("link", name="Look around")
    expect(link).to_contain_text("working")

    page.get_by_role("button", name="Stop").click()

    is_at_rest(page)
    expect(link).to_contain_text("done")


def test_the_advisor_is_asked_and_its_words_are_seen_as_they_come(signed_in: Page, server: Server) -> None:
    page = signed_in
    server.ask("PUT", "/settings/advisor", {"enabled": True, "max_uses_per_turn": 3})
    question = "say Begin with **the tests**.\nsay Then change one thing at a time.\nwait 3600"
    open_chat(page, server, f"call advisor {json.dumps({'question': question})}\nnext\nsay So I do.")

    card = page.get_by_role("group", name="advisor")
    expect(card).to_contain_text("Asking the advisor")
    expect(card).to_contain_text("Then change one thing at a time.")
    assert accessibility(page) == []
    shot(page, "advisor-speaks")
    page.get_by_role("button", name="Stop").click()
    is_at_rest(page)

    open_chat(page, server, 'call advisor {"question": "say Begin with the tests."}\nnext\nsay So I do.')
    expect(agent(page).last).to_contain_text("So I do.")
    card.get_by_role("button", name="Asked the advisor").click()
    expect(card).to_contain_text("Begin with the tests.")
    expect(card).to_contain_text("It may be asked 2 more times in this turn.")
    assert accessibility(page) == []
    shot(page, "advisor-spoke")
