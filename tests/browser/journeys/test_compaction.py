"""A long chat is summed up: by itself in the middle of a turn, and when a person asks for it."""

from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, is_at_rest, open_chat, send
from tests.browser.looking import accessibility, shot
from tests.browser.program import Server

# A summary of the scripted model is the rest of its script, word by word: this one takes a while.
REST = " ".join(f"word{number}" for number in range(4_000))


def test_a_summary_is_seen_while_it_is_written(signed_in: Page, server: Server) -> None:
    page = signed_in
    full = 'usage 150000 of 200000\ncall echo {"text": "a"}\nnext\n'
    open_chat(page, server, f"{full}say {REST}")

    card = page.get_by_role("group", name="chat_summarized")
    card.get_by_role("button", name="Summing up the chat").click()
    expect(card).to_contain_text("What is left of its script")
    assert accessibility(page) == []
    shot(page, "compaction-running")

    page.get_by_role("button", name="Stop").click()
    is_at_rest(page)


def test_a_chat_is_summed_up_on_its_way_and_goes_on_by_the_summary(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, 'usage 150000 of 200000\ncall echo {"text": "a"}\nnext\nsay I know where I was.')

    expect(agent(page).last).to_contain_text("I know where I was.")
    card = page.get_by_role("group", name="chat_summarized")
    expect(card).to_contain_text("150k of 200k tokens (75 %)")
    card.get_by_role("button", name="Summed up the chat").click()
    expect(card.get_by_label("Summary")).to_contain_text("say I know where I was.")
    assert accessibility(page) == []
    shot(page, "compaction-done")


def test_a_person_asks_for_a_summary_with_a_command(signed_in: Page) -> None:
    page = signed_in
    send(page, "say First.")
    expect(agent(page)).to_contain_text("First.")
    is_at_rest(page)

    page.get_by_role("textbox", name="Message").press_sequentially("/com")
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Summed up the chat as you asked")).to_be_visible()
    is_at_rest(page)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    shot(page, "compaction-asked-for")
