"""Whatever an agent is at, a person can stop it; or tell it something on the way."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, is_at_rest, open_chat, send
from tests.browser.looking import accessibility, shot
from tests.browser.program import Server
from tests.traceability import proves

OPTIONS = [{"label": "Yes", "description": "by name"}, {"label": "No", "description": "by date"}]
QUESTION = {"questions": [{"header": "Sort", "question": "By name?", "options": OPTIONS}]}
CHILD = {"type": "general", "title": "The child", "prompt": "say Looking.\nwait 3600"}
# A summary of this model is the rest of its script, word by word: this one takes minutes.
LONG = " ".join(f"word{number}" for number in range(8_000))

# By what the agent is at: its script, and what the page says then.
ACTIVE = {
    "nothing-said": ("wait 3600", "Thinking"),
    "thinking": ("think Let me see.\nwait 3600", "Let me see."),
    "saying": ("say One moment.\nwait 3600", "One moment."),
    "tool": ('call wait {"seconds": 3600}', "Using"),
    "retry": ("fail overloaded retry after 600", "The model is overloaded"),
    "approval": ('call execute {"command": "make"}', "May the agent do this?"),
    "question": (f"call ask_user_question {json.dumps(QUESTION)}", "needs your answer"),
    "child": (
        f"call spawn_agent {json.dumps(CHILD)}\nnext\ncall wait_agent {{}}",
        "Waiting for",
    ),
    "compaction": (
        f'usage 150000 of 200000\ncall echo {{"text": "a"}}\nnext\nsay {LONG}',
        "Summing up the chat",
    ),
}


@proves("web-ui", 42)
@pytest.mark.parametrize("state", ACTIVE)
def test_an_agent_is_stopped_in_the_middle_of(signed_in: Page, server: Server, state: str) -> None:
    page = signed_in
    script, sign = ACTIVE[state]
    chat_id = open_chat(page, server, script)
    messages = page.get_by_role("log", name="Messages")
    expect(messages).to_contain_text(sign)
    shot(page, f"stop-{state}")

    composer = page.get_by_role("textbox", name="Message")
    composer.press("Escape")

    is_at_rest(page)
    assert server.ask("GET", f"/chats/{chat_id}")["status"] == "waiting"
    expect(messages.get_by_role("status")).to_have_count(0)
    # To have been stopped is no failure; and it is said, also of an agent that has said nothing.
    expect(messages.locator("[data-state=failed]")).to_have_count(0)
    expect(messages.get_by_text("Stopped", exact=True)).to_be_visible()
    shot(page, f"stopped-{state}")
    send(page, "say And on.")
    expect(agent(page).last).to_contain_text("And on.")


def test_a_plan_that_waits_for_a_person_is_stopped(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, 'call propose_plan {"plan": "# Plan"}', mode="plan")
    expect(page.get_by_role("button", name="Carry it out")).to_be_visible()

    page.get_by_role("button", name="Stop").click()

    is_at_rest(page)
    expect(page.get_by_role("button", name="Carry it out")).to_have_count(0)
    shot(page, "stopped-plan")


def test_an_agent_is_steered_between_two_steps(signed_in: Page, server: Server) -> None:
    page = signed_in
    command = "until [ -e go ]; do sleep 0.1; done"
    open_chat(page, server, f'call execute {{"command": "{command}"}}\nnext\nsay Never said.')
    page.get_by_role("button", name=re.compile("^Allow")).first.click()
    expect(page.get_by_role("heading", name="May the agent do this?")).to_have_count(0)

    page.get_by_role("textbox", name="Message").fill("say Steered.")
    page.get_by_role("button", name="When the agent hears it").click()
    assert accessibility(page) == []
    shot(page, "send-modes")
    page.get_by_role("menuitemcheckbox", name="Steer").click()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_label("Queue")).to_contain_text("after this step")
    shot(page, "steering")
    (server.workspace / "go").touch()

    expect(agent(page).last).to_contain_text("Steered.")
    is_at_rest(page)
    expect(page.get_by_label("Queue")).to_have_count(0)
    expect(agent(page)).to_have_count(2)
    shot(page, "steered")
