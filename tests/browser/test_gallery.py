"""Every state of a message, as web/src/gallery shows it, in a browser and under the policy of the page."""

import functools
import shutil
import subprocess
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal

import pytest
from playwright.sync_api import Browser, Dialog, Page

from chatd.api.page.headers import page_headers
from tests.browser.looking import ROOT, Watch, accessibility, shot

WEB = ROOT / "web"
BUILD_SECONDS_MAX = 300
# How deep cards are folded into cards.
FOLDS = 2
UNFOLD = "document.querySelectorAll('button[aria-expanded=false]').forEach(each => each.click())"


class _Files(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        for name, value in page_headers().items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the gallery, built for this module."""
    if shutil.which("npm") is None or not (WEB / "node_modules").is_dir():
        pytest.skip("the gallery needs Node.js 20 and `make page`")
    built = tmp_path_factory.mktemp("gallery")
    command = ["npm", "run", "--silent", "gallery", str(built)]
    subprocess.run(command, cwd=WEB, check=True, capture_output=True, timeout=BUILD_SECONDS_MAX)
    with ThreadingHTTPServer(("127.0.0.1", 0), _serving(built)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/gallery.html"
        server.shutdown()
        thread.join()


def _serving(directory: Path) -> functools.partial[_Files]:
    return functools.partial(_Files, directory=str(directory))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 320)])
def test_every_state_of_a_message_is_accessible_and_breaks_no_rule_of_the_page(
    browser: Browser, gallery: str, scheme: Literal["light", "dark"], width: int
) -> None:
    page = browser.new_page(
        color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce"
    )
    watch = Watch(page, gallery.rpartition("/")[0])
    said: list[str] = []

    def hear(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", hear)

    page.goto(gallery)
    _open_everything(page)

    # What stories refer to is on no server.
    watch.expect(r"status of 404")
    shot(page, f"gallery-{scheme}-{width}")
    assert accessibility(page) == []
    assert _is_too_wide(page) is False
    # The page was never told to run anything that is said in it, nor to ask another host.
    assert (said, watch.complaints) == ([], [])
    page.close()


def _open_everything(page: Page) -> None:
    page.get_by_role("heading", name="Gallery").wait_for()
    # The last of what is loaded when it is first needed: formulas and highlighted code.
    page.locator(".katex").first.wait_for()
    for _ in range(FOLDS):
        page.evaluate(
            "document.querySelectorAll('button[aria-expanded=false]').forEach(each => each.click())"
        )
        page.locator(".code-keyword").first.wait_for(state="attached")


def _is_too_wide(page: Page) -> bool:
    """Whether something has to be scrolled sideways that does not do so by itself."""
    found: bool = page.locator("main").evaluate("main => main.scrollWidth > main.clientWidth")
    return found
