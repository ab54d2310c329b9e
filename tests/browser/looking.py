"""What a test sees of a page: its screenshots, what it complains about, and what axe finds."""

import re
import zlib
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Locator, Page, Request

ROOT = Path(__file__).resolve().parents[2]
# Ignored by git, and kept by CI.
SHOTS = ROOT / "build" / "screenshots"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"

# A colour that has just changed is looked at when all that has it is drawn with it.
_RUN_AXE = """async rules => {
    // A page that is not drawn, because another one is in front of it, has no frames.
    const frame = () => new Promise(done => { requestAnimationFrame(done); setTimeout(done, 500); });
    await frame();
    let frames = 0;
    do await frame();
    while (++frames < 600 && document.getAnimations().some(each => each instanceof CSSTransition));
    const found = await axe.run(document, {
        resultTypes: ["violations"],
        ...(rules && {runOnly: {type: "rule", values: rules}}),
    });
    return found.violations;
}"""
# All that can be different in another colour scheme.
_COLOURS = ["color-contrast"]


class Watch:
    """Listens to one page from its beginning: a test fails for every complaint that it has not expected.

    The page may ask for nothing outside of `address`.
    """

    def __init__(self, page: Page, address: str) -> None:
        self._address = address.rstrip("/") + "/"
        self._complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._complaints.append(f"exception: {error}"))
        page.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._complaints.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _see(self, request: Request) -> None:
        if not request.url.startswith(("blob:", "data:", self._address)):
            self._complaints.append(f"request to elsewhere: {request.url}")

    def expect(self, pattern: str) -> None:
        """Such complaints belong to what the test does, whether they come or not."""
        self._complaints = [each for each in self._complaints if not re.search(pattern, each)]

    @property
    def complaints(self) -> list[str]:
        return self._complaints


def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{re.sub(r'[^a-z0-9_-]+', '-', name)}.png", animations="disabled")


def drawn_colour(page: Page, place: Locator) -> tuple[int, int, int]:
    """Red, green and blue near its left edge, as the screen has them: styles may say what is not drawn."""
    # Until it rests: a trial presses nothing.
    place.click(trial=True)
    box = place.bounding_box()
    assert box is not None, "it is nowhere on the page"
    x, y = int(box["x"]) + 8, int(box["y"] + box["height"] / 2)
    picture = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    # A single pixel has no neighbour that a filter could take it from, and is in the first chunk as a whole.
    at = picture.index(b"IDAT")
    size = int.from_bytes(picture[at - 4 : at], "big")
    pixels = zlib.decompressobj().decompress(picture[at + 4 : at + 4 + size])
    _filter, red, green, blue, *_ = pixels
    return red, green, blue


def until(page: Page, condition: str, arg: object = None) -> None:
    """Until this function of the page returns true. The `eval` of `wait_for_function` is forbidden there."""
    page.evaluate(
        f"""async (arg) => {{
            const holds = {condition};
            while (!(await holds(arg))) await new Promise(requestAnimationFrame);
        }}""",
        arg,
    )


def accessibility(page: Page) -> list[str]:
    """What axe finds wrong with the page as it is now: rule, element and reason."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return _violations(page, None)


def accessibility_in_both_schemes(page: Page) -> list[str]:
    """The same in light, and what cannot be read in dark. Leaves the page in dark."""
    page.emulate_media(color_scheme="light")
    found = accessibility(page)
    page.emulate_media(color_scheme="dark")
    return found + [f"dark: {each}" for each in _violations(page, _COLOURS)]


def _violations(page: Page, rules: list[str] | None) -> list[str]:
    found: list[dict[str, Any]] = page.evaluate(_RUN_AXE, rules)
    return [
        f"{violation['id']}: {node['target']}: {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]
