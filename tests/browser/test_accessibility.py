"""What axe says of every page, panel, dialog, menu and notice, in light and in dark: nothing.

Journeys and the gallery ask it too, of what they pass. Here is what a person comes to without an agent.
"""

import json
import re
from collections.abc import Callable
from functools import cache

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chatting import agent, is_at_rest, open_chat, send
from tests.browser.looking import Watch, accessibility_in_both_schemes, shot
from tests.browser.program import Server

OWN_SERVER = True
Arrange = Callable[[Page, Server], Locator]


@cache
def finished_chat(server: Server) -> str:
    return server.start_chat("say # A title\nsay \nsay Some **words** and `code`.", workspace=".")


def a_chat(page: Page, server: Server) -> None:
    """The same each time: what is opened there changes nothing of it."""
    page.goto(f"{server.address}/chats/{finished_chat(server)}")
    expect(agent(page)).to_contain_text("Some words")
    is_at_rest(page)


def _at(path: str) -> Arrange:
    def arrange(page: Page, server: Server) -> Locator:
        page.goto(server.address + path)
        return page.get_by_role("main")

    return arrange


def unknown_chat(page: Page, server: Server) -> Locator:
    page.goto(f"{server.address}/chats/00000000-0000-7000-8000-000000000000")
    return page.get_by_role("heading", name="There is no such chat")


def hidden_list(page: Page, server: Server) -> Locator:
    page.get_by_role("button", name="Hide the list").click()
    return page.get_by_role("button", name="Show the list")


def filters(page: Page, server: Server) -> Locator:
    page.get_by_role("button", name="Filter chats").click()
    return page.get_by_role("dialog", name="Filter")


def nothing_matches(page: Page, server: Server) -> Locator:
    page.goto(f"{server.address}/?archived=true")
    return page.get_by_role("navigation", name="Chats")


def palette(page: Page, server: Server) -> Locator:
    page.keyboard.press("Control+k")
    page.keyboard.type("nothing is called like this")
    return page.get_by_text("No chat has these words.")


def shortcuts(page: Page, server: Server) -> Locator:
    page.get_by_role("heading", name="What shall the agent do?").click()
    page.keyboard.press("Shift+?")
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def account_menu(page: Page, server: Server) -> Locator:
    page.get_by_role("button", name="admin").click()
    return page.get_by_role("menuitem", name="Sign out")


def chat_menu(page: Page, server: Server) -> Locator:
    a_chat(page, server)
    page.get_by_role("button", name="Actions for this chat").click()
    return page.get_by_role("menuitem", name="Rename…")


def _dialog(item: str) -> Arrange:
    def arrange(page: Page, server: Server) -> Locator:
        chat_menu(page, server)
        page.get_by_role("menuitem", name=item).click()
        return page.get_by_role("dialog")

    return arrange


def models(page: Page, server: Server) -> Locator:
    page.get_by_role("button", name=re.compile("^Model:")).click()
    return page.get_by_role("dialog", name="Model")


def context_ring(page: Page, server: Server) -> Locator:
    a_chat(page, server)
    page.get_by_role("button", name=re.compile("^Context:")).click()
    return page.get_by_role("dialog", name="Context")


def commands(page: Page, server: Server) -> Locator:
    page.get_by_role("textbox", name="Message").press_sequentially("/")
    return page.get_by_role("listbox", name="Commands")


def mentions(page: Page, server: Server) -> Locator:
    (server.workspace / "notes.md").touch()
    a_chat(page, server)
    page.get_by_role("textbox", name="Message").press_sequentially("@notes")
    return page.get_by_role("option", name="notes.md")


def refused_file(page: Page, server: Server) -> Locator:
    large = server.home / "large.bin"
    with large.open("wb") as file:
        file.truncate(11 * 1024 * 1024)
    page.get_by_label("Files to attach").set_input_files(large)
    return page.get_by_role("list", name="Attachments")


def editing(page: Page, server: Server) -> Locator:
    a_chat(page, server)
    page.get_by_role("article", name="You").hover()
    page.get_by_role("button", name="Edit and run again").click()
    return page.get_by_text("You edit an earlier message.")


def archived(page: Page, server: Server) -> Locator:
    chat_id = open_chat(page, server, "say Put away.")
    # Of the answer: before the page knows of the turn, nothing is there to be stopped either.
    expect(page.get_by_role("button", name="Details of this message")).to_be_attached()
    is_at_rest(page)
    server.ask("PATCH", f"/chats/{chat_id}", {"archived": True})
    return page.get_by_text("This chat is archived.")


def failed(page: Page, server: Server) -> Locator:
    open_chat(page, server, "fail auth")
    return page.get_by_role("heading", name="The provider refused the key")


def _tab(name: str, content: str) -> Arrange:
    def arrange(page: Page, server: Server) -> Locator:
        server.ask("PATCH", "/settings", {"debug_records_allowed": True})
        a_chat(page, server)
        page.get_by_role("button", name="Show details").click()
        page.get_by_role("tab", name=name).click()
        return page.get_by_role("tabpanel", name=name).get_by_text(content).first

    return arrange


def changed_files(page: Page, server: Server) -> Locator:
    # Another one each time: what is there already is not changed.
    path = f"{len(list(server.workspace.iterdir()))}.txt"
    open_chat(
        page, server, f"call write_file {json.dumps({'path': path, 'content': 'new'})}\nnext\nsay Written."
    )
    page.get_by_role("button", name="Allow once").click()
    is_at_rest(page)
    page.get_by_role("button", name="Show details").click()
    return page.get_by_text("1 file changed")


def restore(page: Page, server: Server) -> Locator:
    expect(changed_files(page, server)).to_be_visible()
    page.get_by_role("button", name="Restore files").click()
    return page.get_by_role("dialog").get_by_role("listitem")


STATES: dict[str, Arrange] = {
    "nothing-yet": _at("/"),
    "new": _at("/new"),
    "nowhere": _at("/nowhere"),
    "unknown-chat": unknown_chat,
    "hidden-list": hidden_list,
    "filters": filters,
    "nothing-matches": nothing_matches,
    "palette-nothing-found": palette,
    "shortcuts": shortcuts,
    "account-menu": account_menu,
    "chat-menu": chat_menu,
    "rename": _dialog("Rename…"),
    "labels": _dialog("Labels…"),
    "delete": _dialog("Delete…"),
    "models": models,
    "context-ring": context_ring,
    "commands": commands,
    "mentions": mentions,
    "refused-file": refused_file,
    "editing": editing,
    "archived": archived,
    "failed": failed,
    "tab-changes-none": _tab("Changes", "No files were changed"),
    "tab-context": _tab("Context", "tokens"),
    "tab-message": _tab("Message", "Tokens out"),
    "tab-debug-none": _tab("Debug", "No turn of this chat was recorded"),
    "tab-changes": changed_files,
    "restore": restore,
}


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in(signed_in: Page, server: Server, watch: Watch, state: str) -> None:
    expect(STATES[state](signed_in, server)).to_be_visible()

    found = accessibility_in_both_schemes(signed_in)

    shot(signed_in, f"axe-{state}")
    assert found == []
    # Of the chat that is not there.
    watch.expect("404")


def test_axe_finds_nothing_in_any_page_of_the_settings_nor_in_their_forms(
    signed_in: Page, server: Server
) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings")
    listed = page.get_by_role("navigation", name="Settings").get_by_role("link")
    listed.first.wait_for()
    names = listed.all_inner_texts()
    assert len(names) >= 12
    for name in names:
        listed.get_by_text(name, exact=True).click()
        expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_label("Loading")).to_have_count(0)
        _open_forms(page)
        assert accessibility_in_both_schemes(page) == [], name
        shot(page, f"axe-settings-{name.lower()}")


def _open_forms(page: Page) -> None:
    for button in page.get_by_role("main").get_by_role("button", name=re.compile("^(Add|New) ")).all():
        button.click()


def test_axe_finds_nothing_in_a_message_that_could_not_be_sent(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    a_chat(page, server)
    page.route("**/messages", lambda route: route.abort())
    send(page, "say Never heard.")

    expect(page.get_by_role("alert").get_by_text("Not sent.")).to_be_visible()
    assert accessibility_in_both_schemes(page) == []
    shot(page, "axe-not-sent")
    watch.expect("ERR_FAILED")
