"""A chat is offered to somebody, who notices it, accepts or declines; marks of one's own in shared chats."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.chatting import is_at_rest
from tests.browser.looking import accessibility, accessibility_in_both_schemes, shot
from tests.browser.neighbours import PHONE, add_member, shots, signed_in_as
from tests.browser.program import Server

OWN_SERVER = True


def a_chat(page: Page, server: Server, script: str) -> str:
    chat_id = server.start_chat(script)
    page.goto(f"{server.address}/chats/{chat_id}")
    is_at_rest(page)
    return chat_id


def choose(page: Page, item: str) -> None:
    """In the menu of the open chat."""
    page.get_by_role("button", name="Actions for this chat").click()
    page.get_by_role("menuitem", name=item).click()


def offer(page: Page, name: str, *, keep: str = "reader") -> None:
    choose(page, "Hand over…")
    fill_in(page, name, keep)


def fill_in(page: Page, name: str, keep: str) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="To whom").fill(name[:3])
    dialog.get_by_role("list", name="Found").get_by_role("button", name=name).click()
    dialog.get_by_role("combobox", name="What you can do with it afterwards").select_option(keep)


def test_a_chat_is_offered_taken_back_offered_again_and_accepted(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    page = signed_in
    link = add_member(server, "anna")
    with signed_in_as(browser, link) as anna:
        chat_id = a_chat(page, server, "say Mars has two moons.")
        offer(page, "anna")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("its agent is told")).to_be_visible()
        shots(page, "hand-over")
        assert accessibility_in_both_schemes(page) == []
        page.emulate_media(color_scheme="light")
        dialog.get_by_role("button", name="Offer it").click()

        # She notices it without doing anything, wherever she is.
        badge = anna.get_by_role("button", name="A chat is offered to you")
        expect(badge).to_be_visible()
        anna.set_viewport_size(PHONE)
        anna.goto(f"{server.address}/")
        expect(badge).to_be_visible()
        shot(anna, "offers-phone-list")
        anna.set_viewport_size({"width": 1280, "height": 800})
        choose(page, "Hand over…")
        expect(page.get_by_role("heading", name="is offered to anna")).to_be_visible()
        shots(page, "hand-over-offered")
        page.get_by_role("button", name="Take the offer back").click()
        expect(badge).to_have_count(0)

        offer(page, "anna")
        page.get_by_role("button", name="Offer it").click()
        anna.set_viewport_size(PHONE)
        badge.click()
        shot(anna, "offers-phone")
        anna.set_viewport_size({"width": 1280, "height": 800})
        badge.click()
        offers = anna.get_by_role("list", name="Offers")
        expect(offers).to_contain_text("say Mars has two moons.")
        expect(offers).to_contain_text("By admin. admin will still read it.")
        shot(anna, "offers")
        assert accessibility_in_both_schemes(anna) == []
        shot(anna, "offers-dark")
        anna.get_by_role("button", name="Accept “say Mars has two moons.”").click()

        expect(anna).to_have_url(f"{server.address}/chats/{chat_id}")
        expect(anna.get_by_role("textbox", name="Message")).to_be_visible()
        # What was the owner's is a chat that they can read.
        expect(page.get_by_text("This is a chat of anna. You can read it")).to_be_visible()
        expect(page.get_by_role("navigation", name="Chats").get_by_role("link", name="Mars")).to_have_count(0)
        page.goto(f"{server.address}/chats/{chat_id}?shared=1")
        expect(page.get_by_role("navigation", name="Chats").get_by_role("link", name="Mars")).to_be_visible()


def test_an_offer_can_be_made_where_a_chat_is_shared_and_be_declined(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    page = signed_in
    with signed_in_as(browser, add_member(server, "bella")) as bella:
        a_chat(page, server, "say Deimos.")
        choose(page, "Share…")
        page.get_by_role("dialog").get_by_role("button", name="Hand over…").click()
        expect(page.get_by_role("heading", name="Hand over “say Deimos.”")).to_be_visible()
        fill_in(page, "bella", "nothing")
        page.get_by_role("button", name="Offer it").click()
        bella.get_by_role("button", name="A chat is offered to you").click()
        bella.get_by_role("button", name="Decline “say Deimos.”").click()

        expect(bella.get_by_text("Nothing is offered to you any more.")).to_be_visible()
        bella.get_by_role("button", name="Close").first.click()
        expect(bella.get_by_role("button", name="A chat is offered to you")).to_have_count(0)


def test_an_administrator_hands_a_chat_of_somebody_else_over_and_says_why(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    page = signed_in
    add_member(server, "dora")
    with signed_in_as(browser, add_member(server, "carl")) as carl:
        carl.get_by_role("textbox", name="Message").fill("say Io.")
        carl.get_by_role("button", name="Send", exact=True).press("Enter")
        is_at_rest(carl)
        carl.wait_for_url("**/chats/*")
        page.goto(carl.url)
        expect(page.get_by_text("This is a chat of carl.")).to_be_visible()
        choose(page, "Hand over…")
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("textbox", name="To whom").fill("dor")
        dialog.get_by_role("list", name="Found").get_by_role("button", name="dora").click()
        expect(dialog.get_by_role("button", name="Hand it over now")).to_be_disabled()
        dialog.get_by_role("textbox", name="Why").fill("Carl has left.")
        shot(page, "hand-over-forced")
        assert accessibility(page) == []
        dialog.get_by_role("button", name="Hand it over now").click()

        expect(page.get_by_text("This is a chat of dora.")).to_be_visible()
        # He learns it by the end of the stream, or by what is read anew: whichever comes first.
        expect(carl.get_by_role("heading", name="There is no such chat")).to_be_visible()


def test_shared_chats_come_and_go_by_themselves_and_marks_in_them_are_ones_own(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    page = signed_in
    with signed_in_as(browser, add_member(server, "emma", display_name="Emma")) as emma:
        emma.goto(f"{server.address}/?shared=1")
        listed = emma.get_by_role("navigation", name="Chats")
        expect(listed.get_by_text("Nothing is shared with you.")).to_be_visible()
        chat_id = a_chat(page, server, "say Titan has lakes.")
        server.ask("PUT", f"/chats/{chat_id}/grants/user/emma", {"role": "writer"})

        row = listed.get_by_role("link", name="say Titan has lakes.")
        expect(row).to_contain_text("admin ·")
        expect(row).to_contain_text("Unread")
        row.hover()
        listed.get_by_role("button", name="Actions for say Titan has lakes.").click()
        expect(emma.get_by_role("menuitem")).to_have_text(
            ["Pin", "Mark as read", "MuteYou are told nothing of it.", "Export as Markdown", "Leave…"]
        )
        shot(emma, "shared-row-menu")
        emma.get_by_role("menuitem", name="Mute").click()
        expect(row).to_contain_text("Muted")
        listed.get_by_role("button", name="Actions for say Titan has lakes.").click()
        emma.get_by_role("menuitem", name="Pin").click()
        expect(listed.get_by_role("region", name="Pinned")).to_contain_text("Titan")
        shots(emma, "shared-list")
        assert accessibility_in_both_schemes(emma) == []
        emma.emulate_media(color_scheme="light")

        # Who looks at it has read it; the owner's own marks are as they were.
        row.click()
        expect(emma.get_by_text("What you have its agent do, the owner pays for")).to_be_visible()
        expect(row).not_to_contain_text("Unread")
        shot(emma, "shared-writer")
        server.ask("PATCH", f"/chats/{chat_id}", {"title": "Lakes of Titan"})
        expect(listed.get_by_role("link", name="Lakes of Titan")).to_be_visible()
        mine = server.ask("GET", f"/chats/{chat_id}")
        assert (mine["pin_order"], mine["muted"]) == (0, False)
        expect(
            page.get_by_role("navigation", name="Chats").get_by_role("link", name="Lakes")
        ).to_contain_text("Shared")

        server.ask("DELETE", f"/chats/{chat_id}/grants/user/emma")
        expect(listed.get_by_role("link", name="Lakes of Titan")).to_have_count(0)


def test_who_was_let_into_a_chat_by_name_leaves_it(signed_in: Page, server: Server, browser: Browser) -> None:
    page = signed_in
    with signed_in_as(browser, add_member(server, "finn")) as finn:
        chat_id = a_chat(page, server, "say Ganymede is large.")
        server.ask("PUT", f"/chats/{chat_id}/grants/user/finn", {"role": "reader"})
        finn.goto(f"{server.address}/chats/{chat_id}?shared=1")
        listed = finn.get_by_role("navigation", name="Chats").get_by_role("link", name="Ganymede")
        expect(listed).to_be_visible()
        choose(finn, "Leave…")
        shots(finn, "leave")
        finn.get_by_role("button", name="Leave").click()

        expect(listed).to_have_count(0)
        expect(finn).not_to_have_url(f"{server.address}/chats/{chat_id}?shared=1")
        assert server.ask("GET", f"/chats/{chat_id}/grants")["grants"] == []
