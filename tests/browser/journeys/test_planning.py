"""A plan is proposed, sent back with a word, proposed anew and accepted, all by keyboard."""

import json

from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, is_at_rest
from tests.browser.looking import accessibility, shot
from tests.browser.program import Server

FIRST = "# Plan\n\n1. Write `made.txt`.\n2. Say so.\n"
SECOND = "# Plan\n\n1. Write `made.txt`, in capitals.\n2. Say so.\n"
SCRIPT = f"""\
call propose_plan {json.dumps({"plan": FIRST})}
next
call propose_plan {json.dumps({"plan": SECOND})}
next
call echo {{"text": "MADE"}}
next
say Made as planned."""


def test_a_plan_is_proposed_changed_and_accepted_by_keyboard(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.keyboard.type("/plan")
    expect(page.get_by_role("option", name="/plan")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Plan first: on")).to_be_visible()
    page.keyboard.insert_text(SCRIPT)
    page.keyboard.press("Enter")

    plan = page.get_by_role("group", name="propose_plan")
    expect(plan).to_contain_text("version 1")
    expect(plan.get_by_role("article", name="Plan")).to_contain_text("Write made.txt.")
    assert accessibility(page) == []
    shot(page, "plan-proposed")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("c")
    expect(page.get_by_role("textbox", name="What should be different")).to_be_focused()
    page.keyboard.type("In capitals, please.")
    page.keyboard.press("Control+Enter")

    expect(plan.last).to_contain_text("version 2")
    expect(plan.first).to_contain_text("to be changed")
    page.get_by_role("button", name="Show what is new").press("Enter")
    expect(plan.last).to_contain_text("in capitals")
    assert accessibility(page) == []
    shot(page, "plan-changed")
    page.keyboard.press("y")

    expect(agent(page).last).to_contain_text("Made as planned.")
    expect(plan.last).to_contain_text("accepted")
    is_at_rest(page)
    # What is accepted is carried out, and nothing is planned any more.
    expect(page.get_by_role("button", name="Plan first: off")).to_be_visible()
    shot(page, "plan-accepted")
