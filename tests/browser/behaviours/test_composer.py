"""The field in which messages are written: nothing that was typed is lost, and nothing is sent by mistake."""

import struct
import zlib
from pathlib import Path
from random import randbytes

from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.chatting import agent, open_chat, send
from tests.browser.conftest import PATIENCE_MILLISECONDS
from tests.browser.looking import Watch, shot, until
from tests.browser.program import Server
from tests.traceability import proves

NOTES = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Remember the milk."}
TOO_LARGE_BYTES = 12 * 1024 * 1024
PASTE = """([element, text]) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
}"""


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def attachments(page: Page) -> Locator:
    return page.get_by_role("list", name="Attachments")


def attach(page: Page, file: object) -> None:
    page.get_by_label("Files to attach").set_input_files(file)  # type: ignore[arg-type]  # on disk or in memory


def paste(page: Page, text: str) -> None:
    page.evaluate(PASTE, [message(page).element_handle(), text])


@proves("web-ui", 15)
def test_a_chat_that_could_not_be_started_keeps_text_and_files(signed_in: Page, watch: Watch) -> None:
    page = signed_in
    attach(page, NOTES)
    expect(attachments(page)).to_contain_text("18 B")
    page.route("**/api/v1/chats", lambda route: refuse(route, "The database is away."))

    send(page, "say Hello.")

    expect(page.get_by_role("alert")).to_contain_text("The database is away.")
    expect(message(page)).to_have_value("say Hello.")
    expect(attachments(page)).to_contain_text("notes.txt")
    shot(page, "create-refused")
    page.unroute("**/api/v1/chats")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(agent(page)).to_contain_text("Hello.")
    watch.expect("503")


def refuse(route: Route, message: str) -> None:
    if route.request.method == "POST":
        route.fulfill(status=503, json={"error": {"code": "unavailable", "message": message}})
    else:
        route.continue_()


@proves("web-ui", 40)
def test_enter_sends_or_begins_a_line_as_somebody_prefers(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings/appearance")
    page.get_by_role("radio", name="Ctrl+Enter").click()
    page.goto(f"{server.address}/new")

    message(page).press_sequentially("say One")
    message(page).press("Enter")
    message(page).press_sequentially("say two.")
    expect(message(page)).to_have_value("say One\nsay two.")
    message(page).press("Control+Enter")
    expect(agent(page)).to_contain_text("One")


@proves("web-ui", 40)
def test_on_a_phone_enter_begins_a_line(
    browser: Browser, server: Server, cookies: list[dict[str, object]]
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    context.add_cookies(cookies)  # type: ignore[arg-type]  # as they were given out
    page = context.new_page()
    page.goto(f"{server.address}/new")

    message(page).press_sequentially("say One")
    message(page).press("Enter")

    expect(message(page)).to_have_value("say One\n")
    context.close()


@proves("web-ui", 43)
def test_enter_in_an_empty_field_sends_the_first_that_waits(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, "say Busy.\nwait 3600")
    expect(agent(page)).to_contain_text("Busy.")
    send(page, "say I was first.")
    send(page, "say I was second.\nwait 3600")
    expect(page.get_by_label("Queue").get_by_role("listitem")).to_have_count(2)
    expect(message(page)).to_have_value("")

    message(page).press("Enter")

    expect(agent(page).filter(has_text="I was first.")).to_be_visible()


@proves("web-ui", 44)
def test_a_long_text_becomes_a_file_unless_it_is_pasted_plainly(signed_in: Page) -> None:
    page = signed_in
    lines = "\n".join(f"line {number}" for number in range(12))

    paste(page, lines)
    expect(attachments(page)).to_contain_text("pasted.txt")
    expect(message(page)).to_have_value("")

    page.evaluate("text => navigator.clipboard.writeText(text)", lines)
    message(page).press("Control+Shift+V")
    expect(message(page)).to_have_value(lines)
    expect(attachments(page).get_by_role("listitem")).to_have_count(1)


@proves("web-ui", 45)
def test_nothing_is_sent_while_a_file_is_on_its_way(signed_in: Page) -> None:
    page = signed_in
    held: list[Route] = []
    page.route("**/api/v1/files", lambda route: held.append(route))  # noqa: PLW0108 - it asks for a function
    with page.expect_request("**/api/v1/files"):
        attach(page, NOTES)
    message(page).fill("say Read.")

    message(page).press("Enter")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    expect(message(page)).to_have_value("say Read.")

    held[0].continue_()
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    message(page).press("Enter")
    expect(agent(page)).to_contain_text("Read.")


@proves("web-ui", 46)
def test_a_file_that_is_too_large_is_told_of_and_not_sent(signed_in: Page, tmp_path: Path) -> None:
    page = signed_in
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * TOO_LARGE_BYTES)
    attach(page, large)

    expect(attachments(page)).to_contain_text("Too large: files may have up to 10 MiB.")
    shot(page, "too-large")
    page.get_by_role("button", name="Remove large.txt").click()
    expect(attachments(page)).to_have_count(0)


def test_a_picture_that_is_too_large_is_made_smaller_and_shown_before_it_is_sent(
    signed_in: Page, tmp_path: Path
) -> None:
    page = signed_in
    large = tmp_path / "noise.png"
    large.write_bytes(noise(1_900))
    with page.expect_response("**/api/v1/files") as arrived:
        attach(page, large)
    kept = arrived.value.json()

    until(page, "() => document.querySelector('[aria-label=Attachments] img').naturalWidth > 0")
    shot(page, "picture")
    assert (kept["name"], kept["media_type"]) == ("noise.webp", "image/webp")
    assert kept["size_bytes"] < 3_750_000


def noise(side: int) -> bytes:
    """A PNG of so many pixels on each side that cannot be compressed: 1,900 are more than 10 MiB."""
    rows = b"".join(b"\0" + randbytes(3 * side) for _ in range(side))
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0),
        b"IDAT": zlib.compress(rows, level=0),
        b"IEND": b"",
    }
    packed = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks.items()
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


@proves("web-ui", 47)
def test_a_draft_survives_a_reload_with_its_files(signed_in: Page) -> None:
    page = signed_in
    attach(page, NOTES)
    expect(attachments(page)).to_contain_text("18 B")
    message(page).fill("say Half a th")

    page.reload()

    expect(message(page)).to_have_value("say Half a th")
    expect(attachments(page)).to_contain_text("notes.txt")


@proves("web-ui", 51)
def test_earlier_messages_come_back_with_the_arrow_until_somebody_types(
    signed_in: Page, server: Server
) -> None:
    page = signed_in
    open_chat(page, server, "say One.")
    expect(agent(page)).to_contain_text("One.")
    send(page, "say Two.")
    expect(agent(page)).to_have_count(2)
    page.reload()
    expect(agent(page)).to_have_count(2)

    message(page).press("ArrowUp")
    expect(message(page)).to_have_value("say Two.")
    message(page).press("ArrowUp")
    expect(message(page)).to_have_value("say One.")
    message(page).press("End")
    message(page).press_sequentially("!")
    message(page).press("ArrowUp")
    expect(message(page)).to_have_value("say One.!")


@proves("web-ui", 52)
def test_who_stops_editing_gets_back_what_they_were_writing(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, "say One.")
    expect(agent(page)).to_contain_text("One.")
    message(page).fill("A thought of mine")
    page.get_by_role("article", name="You").hover()
    page.get_by_role("button", name="Edit and run again").click()
    expect(message(page)).to_have_value("say One.")

    message(page).press("Escape")

    expect(message(page)).to_have_value("A thought of mine")
