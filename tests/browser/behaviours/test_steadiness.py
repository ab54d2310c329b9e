"""What comes later does not move what is there: somebody may be about to press it."""

import re

from playwright.sync_api import Page, Route

from tests.browser.program import Server

# How much of the screen moves, times how far: less than a line of text that moves by a line.
SHIFT_MAX = 0.001
ANSWERS_MAX = 50
RECORD = """
    window.moved = [];
    new PerformanceObserver(list => {
        for (const {value, sources} of list.getEntries())
            window.moved.push([value, ...sources.map(({node, previousRect: from, currentRect: to}) =>
                `${node?.textContent.slice(0, 40)}: ${from.x} ${from.y} to ${to.x} ${to.y}`)]);
    }).observe({type: "layout-shift", buffered: true});
"""
# Drawn, and told of what it has moved.
FRAMES = """async () => {
    for (let left = 3; left > 0; left--) await new Promise(requestAnimationFrame);
}"""


def test_nothing_moves_while_the_parts_of_a_page_arrive_one_by_one(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings")
    links = page.get_by_role("navigation", name="Settings").get_by_role("link")
    links.first.wait_for()
    settings = [link.get_attribute("href") for link in links.all()]
    assert len(settings) >= 12
    page.add_init_script(RECORD)
    held: list[Route] = []
    page.route("**/api/v1/**", lambda route: held.append(route))  # noqa: PLW0108 - it takes no method of a list

    moved = {}
    for path in ["/", "/new", f"/chats/{server.start_chat('say Hello.')}", *settings]:
        page.goto(f"{server.address}{path}")
        answer_one_by_one(page, held)
        far = [each for each in page.evaluate("window.moved") if each[0] > SHIFT_MAX]
        if far:
            moved[path] = far
    assert moved == {}


def answer_one_by_one(page: Page, held: list[Route]) -> None:
    """The newest request first: in the order in which they were made, much could seem steady by luck."""
    loading = page.get_by_role("status", name=re.compile("^Loading"))
    for _ in range(ANSWERS_MAX):
        page.evaluate(FRAMES)
        if held:
            route = held.pop()
            route.fulfill(response=route.fetch())
        elif loading.count() == 0:
            return
    raise AssertionError(f"{page.url} is not loaded after {ANSWERS_MAX} answers")
