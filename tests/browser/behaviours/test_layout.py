"""How much room there is: wide, narrow, and at twice the size."""

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.chatting import agent, open_chat
from tests.browser.looking import accessibility, shot, until
from tests.browser.program import Server
from tests.traceability import proves

BEYOND = """() => [...document.querySelectorAll("button, a, input, textarea, select")]
    .filter((each) => each.checkVisibility({ opacityProperty: false }) && !each.closest("[role=log]"))
    .filter((each) => {
        const { left, right, width } = each.getBoundingClientRect();
        return width > 1 && (left < -1 || right > document.documentElement.clientWidth + 1);
    })
    .map((each) => each.getAttribute("aria-label") ?? each.textContent)"""


@proves("web-ui", 1)
def test_the_list_keeps_its_width_and_takes_steps_by_keyboard(signed_in: Page) -> None:
    page = signed_in
    border = page.get_by_role("separator", name="Width of the list")
    place = border.bounding_box()
    assert place is not None
    page.mouse.move(place["x"], 300)
    page.mouse.down()
    page.mouse.move(500, 300, steps=4)
    page.mouse.up()
    expect(border).to_have_attribute("aria-valuenow", "500")

    page.reload()
    expect(border).to_have_attribute("aria-valuenow", "500")
    border.focus()
    page.keyboard.press("ArrowRight")
    expect(border).to_have_attribute("aria-valuenow", "516")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(border).to_have_attribute("aria-valuenow", "484")


@proves("web-ui", 9)
def test_a_filter_stays_on_the_way_to_a_chat_and_back(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.set_viewport_size({"width": 390, "height": 844})
    for title, labels in (("About the site", {"project": "site"}), ("About something else", {})):
        server.start_chat("say Hello.", title=title, labels=labels)
    page.goto(server.address)
    page.get_by_role("button", name="Filter chats").click()
    page.get_by_label("With the labels").fill("project:site")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("link", name="About something else")).to_have_count(0)

    page.get_by_role("link", name="About the site").click()
    expect(agent(page)).to_contain_text("Hello.")
    page.get_by_role("button", name="Back to the list").click()

    expect(page.get_by_role("link", name="About the site")).to_be_visible()
    expect(page.get_by_role("link", name="About something else")).to_have_count(0)


@proves("web-ui", 56)
def test_where_there_is_little_room_the_chat_is_before_the_details(signed_in: Page, server: Server) -> None:
    page = signed_in
    open_chat(page, server, "say Hello.")
    page.get_by_role("button", name="Show details").click()
    expect(page.get_by_role("complementary", name="Details")).to_be_visible()

    page.set_viewport_size({"width": 800, "height": 800})
    page.reload()
    expect(agent(page)).to_contain_text("Hello.")
    expect(page.get_by_role("complementary", name="Details")).to_have_count(0)


@pytest.mark.parametrize("path", ["/new", "/settings/models", "/chats"])
@proves("web-ui", 69)
def test_at_twice_the_size_no_control_is_cut_off(signed_in: Page, server: Server, path: str) -> None:
    """A window of 1280 by 800 has half as many pixels of the page then."""
    page = signed_in
    page.set_viewport_size({"width": 640, "height": 400})
    chat_id = server.start_chat("say Hello.")
    page.goto(f"{server.address}/chats/{chat_id}" if path == "/chats" else server.address + path)
    page.get_by_role("main").first.wait_for()

    assert page.evaluate(BEYOND) == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert accessibility(page) == []
    shot(page, f"zoomed{path.replace('/', '-')}")


def test_what_comes_later_does_not_move_the_button_to_send(
    page: Page, context: BrowserContext, server: Server, cookies: list[dict[str, object]]
) -> None:
    context.add_cookies(cookies)  # type: ignore[arg-type]  # as they were given out
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/assets/FirstContact-*.js", hold)
    page.goto(f"{server.address}/")
    button = page.get_by_role("button", name="Send", exact=True)
    button.wait_for()
    until(page, "() => document.fonts.ready.then(() => true)")
    before = button.bounding_box()

    for route in held:
        route.continue_()
    page.get_by_role("region", name="First steps").wait_for()

    assert held
    assert button.bounding_box() == before
    shot(page, "new-chat")
