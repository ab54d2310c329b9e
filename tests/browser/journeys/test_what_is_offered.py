"""What the page offers is what `GET /permits` allows: to writers, to viewers, and to administrators."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.chatting import agent, send
from tests.browser.looking import accessibility, shot
from tests.browser.neighbours import add_member, shots, signed_in_as
from tests.browser.program import Server

OWN_SERVER = True
WRITES = 'call write_file {"path": "moons.txt", "content": "Phobos"}\nnext\nsay Done.'


def share(server: Server, chat_id: str, name: str, role: str) -> None:
    server.ask("PUT", f"/chats/{chat_id}/grants/user/{name}", {"role": role})


def test_who_writes_in_a_chat_of_somebody_else_is_offered_to_speak_and_no_more(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    chat_id = server.start_chat(WRITES, workspace=".")
    signed_in.goto(f"{server.address}/chats/{chat_id}")
    expect(signed_in.get_by_role("button", name="Allow once")).to_be_visible()
    link = add_member(server, "anna")
    share(server, chat_id, "anna", "writer")
    with signed_in_as(browser, link) as anna:
        anna.goto(f"{server.address}/chats/{chat_id}")
        expect(anna.get_by_text("The owner of the chat decides.")).to_be_visible()
        expect(anna.get_by_role("button", name="Allow once")).to_have_count(0)
        expect(anna.get_by_role("button", name="Edit and run again")).to_have_count(0)
        expect(anna.get_by_role("button", name="Plan first: off")).to_have_count(0)
        expect(anna.get_by_text("needs approval", exact=True)).to_be_visible()
        shots(anna, "offered-writer")
        assert accessibility(anna) == []
        anna.get_by_role("button", name="Show details").click()
        expect(anna.get_by_role("tab", name="Message")).to_be_visible()
        expect(anna.get_by_role("tab")).to_have_count(1)
        shot(anna, "offered-writer-details")

        signed_in.get_by_role("button", name="Allow once").click()
        expect(agent(anna).last).to_contain_text("Done.")
        send(anna, "say From Anna.")
        expect(agent(anna).last).to_contain_text("From Anna.")
        expect(agent(signed_in).last).to_contain_text("From Anna.")
    expect(signed_in.get_by_role("button", name="Edit and run again").first).to_be_attached()


def test_a_viewer_is_offered_no_chat_to_start_and_no_field_to_speak_in(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    chat_id = server.start_chat("say Deimos is the smaller moon.")
    link = add_member(server, "vera", role="viewer")
    # The stronger right of a grant does not count for them.
    share(server, chat_id, "vera", "writer")
    with signed_in_as(browser, link) as vera:
        expect(vera.get_by_role("heading", name="You start no chats here")).to_be_visible()
        expect(vera.get_by_role("button", name="New chat")).to_have_count(0)
        expect(vera.get_by_role("button", name="See tools at work")).to_have_count(0)
        shots(vera, "offered-viewer")
        assert accessibility(vera) == []
        vera.get_by_role("button", name="See what is shared with you").click()
        vera.get_by_role("link", name="say Deimos is the smaller moon.").click()
        expect(agent(vera)).to_contain_text("Deimos is the smaller moon.")
        expect(vera.get_by_text("You can read it, and not speak in it.")).to_be_visible()
        expect(vera.get_by_role("textbox", name="Message")).to_have_count(0)


def test_an_administrator_stops_the_agent_of_somebody_else(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    link = add_member(server, "olga")
    with signed_in_as(browser, link) as olga:
        send(olga, "stream 5000 words at 10 per second")
        expect(olga.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        olga.wait_for_url("**/chats/*")
        signed_in.goto(olga.url)
        expect(signed_in.get_by_text("This is a chat of olga.")).to_be_visible()
        shot(signed_in, "offered-administrator")
        assert accessibility(signed_in) == []
        signed_in.get_by_role("button", name="Stop the agent").click()
        expect(signed_in.get_by_role("button", name="Stop the agent")).to_have_count(0)
        expect(olga.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
