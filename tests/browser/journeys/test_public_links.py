"""Public links: made in the page, read by somebody who is not signed in, and ended."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.chatting import agent, is_at_rest, open_chat, send
from tests.browser.conftest import DESKTOP, PATIENCE_MILLISECONDS
from tests.browser.looking import Watch, accessibility, accessibility_in_both_schemes, shot
from tests.browser.program import Server, serving

PHONE: ViewportSize = {"width": 390, "height": 844}
SETTINGS = {"CHATD_PUBLIC_LINKS": "true", "CHATD_GUESTS_PER_MINUTE": "0"}
SCRIPT = """think They want to know about moons.
say Let me look.
call echo {"text": "Phobos, Deimos"}
next
say Mars has **two moons**: Phobos and Deimos.
say
say | Moon | Diameter |
say | --- | --- |
say | Phobos | 22 km |
say | Deimos | 12 km |
for title say Moons of Mars
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("public-links"), more=SETTINGS) as started:
        yield started


class Guest:
    """Somebody with a browser of their own, who is not signed in."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        self.page = context.new_page()
        self.watch = Watch(self.page, address)
        self.asked: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url.removeprefix(address)))
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))


@pytest.fixture
def guest(browser: Browser, server: Server) -> Iterator[Guest]:
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    made = Guest(context, server.address)
    yield made
    assert made.watch.complaints == []
    # Nothing that needs a sign-in was asked for, no code went into an address, and nothing was left behind.
    of_api = [each for each in made.asked if "/api/" in each]
    assert [each for each in of_api if "/api/v1/public/" not in each] == []
    assert [each for each in made.asked if "#" not in each and re.search(r"[\w-]{43}", each)] == []
    assert context.cookies() == []
    context.close()


def share_dialog(page: Page) -> None:
    page.get_by_role("button", name="Actions for this chat").click()
    page.get_by_role("menuitem", name="Share…").click()


def make_link(page: Page, *options: str) -> str:
    """In the dialog that is open. Returns the link, which is shown this once."""
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="New public link").click()
    form = dialog.get_by_role("form", name="New public link")
    for option in options:
        form.get_by_role("checkbox", name=option).check()
    form.get_by_role("button", name="Make the link").click()
    shown = dialog.get_by_role("status").filter(has_text="shown only now")
    return shown.get_by_role("code").inner_text()


def test_a_chat_is_read_by_a_link_that_its_owner_makes_and_shows_what_was_chosen(
    signed_in: Page, server: Server, guest: Guest
) -> None:
    page = signed_in
    server.ask("PATCH", "/users/me", {"display_name": "Olivia"})
    open_chat(page, server, SCRIPT)
    expect(agent(page).last).to_contain_text("two moons")
    is_at_rest(page)
    share_dialog(page)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="New public link").click()
    expect(dialog.get_by_text("what was said here up to now.")).to_be_visible()
    shot(page, "public-links-form")
    assert accessibility_in_both_schemes(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    page.emulate_media(color_scheme="light")
    link = make_link(page)
    assert link.startswith(f"{server.address}/s#")
    shot(page, "public-links-made")
    assert accessibility(page) == []

    guest.page.goto(link)
    expect(guest.page.get_by_role("heading", name="Moons of Mars")).to_be_visible()
    expect(guest.page.get_by_text("Shared by Olivia.")).to_be_visible()
    expect(agent(guest.page).first).to_contain_text("Let me look.")
    expect(agent(guest.page).last).to_contain_text("two moons")
    # Neither thoughts nor calls, and nothing to type.
    expect(guest.page.get_by_role("group", name="Thinking")).to_have_count(0)
    expect(guest.page.get_by_role("textbox")).to_have_count(0)
    shown = "".join(agent(guest.page).all_inner_texts())
    assert not [each for each in ("They want to know", "echo", "Deimos, ") if each in shown]
    shot(guest.page, "public-links-guest")
    assert accessibility_in_both_schemes(guest.page) == []
    shot(guest.page, "public-links-guest-dark")
    guest.page.set_viewport_size(PHONE)
    shot(guest.page, "public-links-guest-phone")
    assert guest.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # What is said later is not part of it, also when the page is loaded anew.
    page.get_by_role("button", name="Done").click()
    send(page, "say A secret for later.")
    expect(agent(page).last).to_contain_text("A secret for later.")
    guest.page.reload()
    expect(agent(guest.page).last).to_contain_text("two moons")
    assert "A secret for later." not in guest.page.content()


def test_a_live_chat_is_heard_as_it_is_said_until_its_owner_ends_the_link(
    signed_in: Page, server: Server, guest: Guest
) -> None:
    page = signed_in
    open_chat(page, server, "say Ask me something.")
    expect(agent(page).last).to_contain_text("Ask me something.")
    is_at_rest(page)
    share_dialog(page)
    link = make_link(page, "Follow the chat", "What tools were given and came to", "Reasoning of the agent")
    page.get_by_role("button", name="Done").click()
    guest.page.goto(link)
    expect(guest.page.get_by_text("Live", exact=True)).to_be_visible()

    send(
        page, 'think Hm.\nsay I look.\ncall echo {"text": "found it"}\nnext\nsay The first words.\nwait 3600'
    )
    expect(agent(guest.page).last).to_contain_text("The first words.")
    # While it is said: it is not saved yet, and its owner sees that the agent is at it.
    expect(agent(guest.page).last).to_have_attribute("aria-busy", "true")
    expect(guest.page.get_by_role("group", name="Thinking")).to_have_count(1)
    expect(guest.page.get_by_text("echo").first).to_be_visible()
    shot(guest.page, "public-links-live")
    assert accessibility_in_both_schemes(guest.page) == []

    share_dialog(page)
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^End now the link")).click()
    expect(guest.page.get_by_role("heading", name="This link leads nowhere.")).to_be_visible()
    assert "The first words." not in guest.page.content()
    shot(guest.page, "public-links-ended")
    assert accessibility_in_both_schemes(guest.page) == []
    guest.watch.expect("404")
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    is_at_rest(page)


def test_files_are_fetched_with_the_code_and_shown(signed_in: Page, server: Server, guest: Guest) -> None:
    page = signed_in
    picture, notes = server.home / "dot.png", server.home / "notes.txt"
    picture.write_bytes(bytes.fromhex(DOT))
    notes.write_text("Some words of mine.")
    page.get_by_label("Files to attach").set_input_files([picture, notes])
    expect(page.get_by_role("list", name="Attachments").get_by_role("listitem")).to_have_count(2)
    send(page, "say I see.")
    expect(agent(page).last).to_contain_text("I see.")
    is_at_rest(page)
    share_dialog(page)
    link = make_link(page, "Files")

    guest.page.goto(link)
    image = guest.page.get_by_role("img", name="dot.png")
    expect(image).to_be_visible()
    assert str(image.get_attribute("src")).startswith("blob:")
    assert image.evaluate("image => image.naturalWidth") == 1
    guest.page.get_by_role("button", name=re.compile("^notes.txt")).click()
    expect(guest.page.get_by_role("dialog")).to_contain_text("Some words of mine.")
    shot(guest.page, "public-links-file")
    guest.page.keyboard.press("Escape")
    with guest.page.expect_download() as downloading:
        guest.page.get_by_role("button", name="Load notes.txt").click()
        guest.page.get_by_role("link", name="Download notes.txt").click()
    assert downloading.value.path().read_text() == "Some words of mine."


@pytest.mark.parametrize("address", ["/s", "/s#", "/s#wrong", "/s#%E0%A4%A", "/s/"])
def test_a_link_that_leads_nowhere_is_one_plain_page(server: Server, guest: Guest, address: str) -> None:
    guest.page.goto(server.address + address)

    expect(guest.page.get_by_role("heading", name="This link leads nowhere.")).to_be_visible()
    assert accessibility(guest.page) == []
    guest.watch.expect("404")


# A picture of one pixel.
DOT = (
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cfc0"
    "000003010100c9fe92ef0000000049454e44ae426082"
)
