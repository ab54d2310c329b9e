"""What a person does while an agent works: watch, allow, answer, queue, edit, attach, retry."""

import re

from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, open_chat, send
from tests.browser.looking import Watch, accessibility, shot
from tests.browser.program import Server
from tests.traceability import proves

QUESTION = (
    'call ask_user_question {"questions": [{"header": "Database", '
    '"question": "Which database should it use?", '
    '"options": [{"label": "SQLite", "description": "one file"}, '
    '{"label": "PostgreSQL", "description": "a server"}]}]}\nnext\nsay Then that.'
)


def test_the_output_of_a_tool_is_seen_while_it_runs(signed_in: Page) -> None:
    page = signed_in
    send(page, 'call show {"text": "one two three", "pieces": 3, "seconds": 1}\nnext\nsay Shown.')

    expect(agent(page).last).to_contain_text("Shown.")
    page.get_by_role("button", name="show").first.click()
    expect(page.get_by_role("log", name="Messages")).to_contain_text("three")
    assert accessibility(page) == []
    shot(page, "tool")


def test_a_call_is_allowed_by_a_person_and_then_runs(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, 'call execute {"command": "echo allowed > note.txt"}\nnext\nsay Written.')

    expect(page.get_by_role("heading", name="May the agent do this?")).to_be_visible()
    assert not (server.workspace / "note.txt").exists()
    assert accessibility(page) == []
    shot(page, "approval")
    page.get_by_role("button", name=re.compile("^Allow once|^Allow$|^Once")).click()

    expect(agent(page).last).to_contain_text("Written.")
    assert (server.workspace / "note.txt").read_text() == "allowed\n"
    shot(page, "approved")


def test_a_question_of_the_agent_is_answered(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, QUESTION)

    expect(page.get_by_text("Which database should it use?").first).to_be_visible()
    assert accessibility(page) == []
    shot(page, "question")
    page.get_by_text("PostgreSQL", exact=True).click()
    page.locator("form").get_by_role("button", name="Send").first.click()

    expect(agent(page).last).to_contain_text("Then that.")


@proves("web-ui", 41)
def test_a_message_waits_its_turn_and_can_be_sent_now(signed_in: Page) -> None:
    page = signed_in
    send(page, "say Busy.\nwait 3600")
    expect(agent(page)).to_contain_text("Busy.")
    send(page, "say This was waiting.")

    queue = page.get_by_label("Queue")
    expect(queue).to_contain_text("This was waiting.")
    assert accessibility(page) == []
    shot(page, "queue")
    queue.get_by_role("button", name="Send now, and stop what runs").click()

    expect(agent(page).last).to_contain_text("This was waiting.")
    expect(agent(page).last).to_have_attribute("aria-busy", "false")


def test_a_message_is_edited_and_both_versions_can_be_read(signed_in: Page) -> None:
    page = signed_in
    send(page, "say The first version.")
    expect(agent(page)).to_contain_text("The first version.")
    page.get_by_role("article", name="You").hover()
    page.get_by_role("button", name="Edit and run again").click()
    send(page, "say The second version.")

    expect(agent(page).last).to_contain_text("The second version.")
    shot(page, "edited")
    page.get_by_role("article", name="You").hover()
    page.get_by_role("button", name="Earlier version").click()
    expect(agent(page).last).to_contain_text("The first version.")


def test_a_file_is_attached_and_sent(signed_in: Page) -> None:
    page = signed_in
    page.get_by_label("Files to attach").set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Remember the milk."}
    )
    expect(page.get_by_role("list", name="Attachments")).to_contain_text("notes.txt")
    shot(page, "attachment")
    send(page, "say Read.")

    expect(agent(page)).to_contain_text("Read.")
    expect(page.get_by_role("article", name="You")).to_contain_text("notes.txt")


@proves("web-ui", 36)
def test_a_failed_try_is_told_with_its_next_one_and_can_be_stopped(signed_in: Page) -> None:
    page = signed_in
    send(page, "fail overloaded once retry after 600\nsay Never said.")

    failed = page.get_by_role("heading", name="The model is overloaded")
    expect(failed).to_be_visible()
    expect(page.get_by_role("button", name="Try now")).to_be_visible()
    assert accessibility(page) == []
    shot(page, "retry")
    page.get_by_role("log", name="Messages").get_by_role("button", name="Stop").click()

    expect(failed).to_have_count(0)


def test_on_a_phone_the_list_and_the_chat_take_turns(signed_in: Page, server: Server, watch: Watch) -> None:
    page = signed_in
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.address}/new")
    send(page, "say On the way.")

    expect(agent(page)).to_contain_text("On the way.")
    assert accessibility(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "phone")
