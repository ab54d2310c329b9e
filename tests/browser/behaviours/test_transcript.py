"""Reading a chat: it stays where it is read, earlier messages come when wanted, and failures say so."""

from contextlib import suppress

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as TooLate

from tests.browser.chatting import agent, is_at_rest, open_chat
from tests.browser.looking import Watch, accessibility, shot, until
from tests.browser.program import Server
from tests.traceability import proves

TIMES_UP_MAX = 150
LOOKS_MILLISECONDS = 200
PAGE_OF_MESSAGES = "**/messages?*"
IS_FULL = """() => {
    const box = document.querySelector('[role=log]');
    return box.scrollHeight > box.clientHeight;
}"""

# Each way in which the pointer meets this element, from now on, frame by frame.
KEEP_LOOKING = """article => {
    const seen = window.wasOpenToPointer = [];
    const look = () => {
        const { pointerEvents } = getComputedStyle(article);
        if (!seen.includes(pointerEvents)) seen.push(pointerEvents);
        requestAnimationFrame(look);
    };
    look();
}"""


def transcript(page: Page) -> Locator:
    return page.get_by_role("log", name="Messages")


def a_past(turns: int, lines: int = 6) -> list[object]:
    """So many turns, each as high as some lines."""
    words = "\n\n".join(f"line {line}" for line in range(lines))
    return [
        message
        for turn in range(turns)
        for message in (
            {"role": "user", "content": [{"type": "text", "text": f"question {turn}"}]},
            {"role": "assistant", "content": [{"type": "text", "text": f"answer {turn}\n\n{words}"}]},
        )
    ]


def long_chat(server: Server, turns: int, lines: int = 6) -> str:
    return server.start_chat("say The end.", history=a_past(turns, lines))


def go_up(page: Page, until: Locator) -> None:
    """To the top, again and again: what is loaded there makes a new one."""
    for _ in range(TIMES_UP_MAX):
        page.keyboard.press("Home")
        with suppress(TooLate):
            until.wait_for(timeout=LOOKS_MILLISECONDS)
            return
    raise AssertionError(f"{until} did not come into sight")


@proves("web-ui", 22)
def test_who_reads_on_above_is_left_there_and_can_go_to_the_end(signed_in: Page, server: Server) -> None:
    page = signed_in
    words = " ".join(f"word{number}" for number in range(40))
    script = f"say {words}\nwait 1\nsay {words}\nsay The very end."
    open_chat(page, server, script, history=a_past(turns=5))
    speaking = agent(page).last
    expect(speaking).to_contain_text("word39")
    box = transcript(page)
    agent(page).filter(has_text="answer 4").evaluate(KEEP_LOOKING)
    box.hover()
    page.mouse.wheel(0, -400)
    expect(page.get_by_role("button", name="Newest")).to_be_visible()
    top = box.evaluate("box => box.scrollTop")

    is_at_rest(page)
    assert box.evaluate("box => box.scrollTop") == top
    # What scrolls can be clicked all the time.
    assert page.evaluate("window.wasOpenToPointer") == ["auto"]
    shot(page, "reading-above")

    page.get_by_role("button", name="Newest").click()
    expect(page.get_by_role("button", name="Newest")).to_have_count(0)
    expect(speaking.get_by_text("The very end.")).to_be_in_viewport()


@proves("web-ui", 23)
def test_words_that_are_saved_stay_where_they_were_said(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, "say Words, where they are.\nwait 1")
    words = agent(page).get_by_text("Words, where they are.")
    expect(agent(page)).to_have_attribute("aria-busy", "true")
    place = words.bounding_box()

    expect(page.get_by_role("button", name="Details of this message")).to_be_attached()
    expect(words).to_have_count(1)
    assert words.bounding_box() == place


@proves("web-ui", 24)
def test_earlier_messages_come_at_the_top_and_a_failure_can_be_tried_again(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    page.goto(f"{server.address}/chats/{long_chat(server, turns=250)}")
    expect(page.get_by_text("The end.", exact=True)).to_be_visible()
    page.route(PAGE_OF_MESSAGES, lambda route: route.abort())
    transcript(page).focus()
    again = page.get_by_role("button", name="Earlier messages could not be loaded. Try again")
    go_up(page, until=again)
    again.focus()
    expect(again).to_be_focused()
    assert accessibility(page) == []
    shot(page, "older-failed")
    page.unroute(PAGE_OF_MESSAGES)
    page.keyboard.press("Enter")
    expect(again).to_have_count(0)

    transcript(page).focus()
    go_up(page, until=page.get_by_text("question 0", exact=True))
    watch.expect("ERR_FAILED")


@proves("web-ui", 25)
def test_a_short_end_of_a_long_chat_fills_the_screen(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.set_viewport_size({"width": 1280, "height": 9_000})
    page.goto(f"{server.address}/chats/{long_chat(server, turns=150, lines=1)}")
    expect(page.get_by_text("The end.", exact=True)).to_be_visible()

    expect(page.get_by_text("answer 149")).to_be_visible()
    until(page, IS_FULL)


@proves("web-ui", 38)
def test_a_chat_that_is_not_there_and_one_that_cannot_be_read_are_told_apart(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    page.goto(f"{server.address}/chats/00000000-0000-7000-8000-000000000000")
    expect(page.get_by_role("heading", name="There is no such chat")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    shot(page, "no-such-chat")

    chat_id = server.start_chat("say Here I am.")
    page.route_web_socket(f"**/chats/{chat_id}/stream*", lambda socket: socket.close(code=1011))
    page.route(f"**/api/v1/chats/{chat_id}", lambda route: route.abort())
    page.goto(f"{server.address}/chats/{chat_id}")
    expect(page.get_by_text("Connection lost.")).to_be_visible()
    expect(page.get_by_role("button", name="Try now")).to_be_visible()
    expect(page.get_by_role("heading", name="There is no such chat")).to_have_count(0)
    shot(page, "chat-not-reached")
    watch.expect("404|WebSocket|ERR_FAILED")


def test_the_whole_turn_is_copied_and_own_messages_are_gone_through(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/chats/{long_chat(server, turns=20)}")
    expect(page.get_by_text("The end.", exact=True)).to_be_visible()
    is_at_rest(page)

    own = page.get_by_role("article", name="You")
    own.last.hover()
    own.last.get_by_role("button", name="Previous message of yours").click()
    expect(page.get_by_text("question 19", exact=True)).to_be_in_viewport()
    expect(page.get_by_role("button", name="Newest")).to_be_visible()
    own.filter(has_text="question 19").hover()
    own.filter(has_text="question 19").get_by_role("button", name="Next message of yours").click()
    expect(page.get_by_text("say The end.").last).to_be_in_viewport()

    open_chat(page, server, 'say I look first.\ncall echo {"text": "a"}\nnext\nsay Then I speak.')
    expect(agent(page).last).to_contain_text("Then I speak.")
    agent(page).last.hover()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    agent(page).last.get_by_role("button", name="Copy").click()
    expect(agent(page).last.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "I look first.\n\nThen I speak."


@proves("web-ui", 39)
def test_a_chat_of_another_user_can_be_read_and_no_more(signed_in: Page, server: Server) -> None:
    page = signed_in
    chat_id = open_chat(page, server, "say Not for you.\nwait 3600")
    text = [{"type": "text", "text": "And then?"}]
    server.ask("POST", f"/chats/{chat_id}/messages", {"content": text})
    chat = server.ask("GET", f"/chats/{chat_id}")
    of_olga = {**chat, "access": "reader", "owner": {**chat["owner"], "display_name": "Olga"}}
    page.route(f"**/api/v1/chats/{chat_id}", lambda route: route.fulfill(json=of_olga))
    permits = {"deeds": ["chat.read", "chat.keep"], "public_links": False}
    page.route(f"**/api/v1/permits?chat={chat_id}", lambda route: route.fulfill(json=permits))
    page.reload()

    expect(page.get_by_text("This is a chat of Olga.")).to_be_visible()
    expect(agent(page)).to_contain_text("Not for you.")
    expect(page.get_by_label("Queue").get_by_text("And then?")).to_be_visible()
    expect(page.get_by_label("Queue").get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Message")).to_have_count(0)
    expect(page.get_by_role("button", name="Edit and run again")).to_have_count(0)
    assert accessibility(page) == []
    shot(page, "not-yours")


def test_an_archived_chat_can_be_read_until_it_is_taken_out(signed_in: Page, server: Server) -> None:
    page = signed_in
    chat_id = open_chat(page, server, "say Put away.")
    expect(page.get_by_role("button", name="Details of this message")).to_be_attached()
    server.ask("PATCH", f"/chats/{chat_id}", {"archived": True})
    expect(page.get_by_role("textbox", name="Message")).to_have_count(0)

    page.get_by_role("button", name="Take it out").click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
