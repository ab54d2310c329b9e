"""The pictures of the README, taken by `make pictures`: a session in a real browser, still and moving.

Server and page are real; what the model says is written in story.py.
"""

import sys
import tempfile
from pathlib import Path

import click
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from chatd.cli.operate.demo_project import make_project
from tests.browser.conftest import PATIENCE_MILLISECONDS
from tests.browser.looking import ROOT
from tests.browser.pictures.animated_png import animated_png
from tests.browser.pictures.recording import Recording, only_what_changes
from tests.browser.pictures.story import FINDING, REQUEST, TITLE, speaking
from tests.browser.program import Server
from tools.chromium import WHAT_TO_DO, find_program

IMAGES = ROOT / "docs" / "images"
STILL: ViewportSize = {"width": 1280, "height": 800}
MOVING: ViewportSize = {"width": 1080, "height": 675}
# As for every file of the repository: .pre-commit-config.yaml.
RECORDING_BYTES_MAX = 500 * 1024

QUESTION = """\
call ask_user_question {"questions": [{"header": "Release", "question": "Which branch shall I release?", \
"options": [{"label": "main"}, {"label": "next"}]}]}"""
# What else is in the list: title and script.
OTHERS = {"Compare two indexes": "say The second one is smaller.", "Release 0.2": QUESTION}

KEY_MILLISECONDS = 35
# How long somebody looks at a question before they answer it.
LOOK_MILLISECONDS = 1_200


def main() -> None:
    program = find_program()
    if program is None:
        sys.exit(f"There is no Chromium. {WHAT_TO_DO}")
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright, speaking() as model:
        server = Server(Path(home))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            _set_up(server, model)
            for scheme in ("light", "dark"):
                _still(browser, server, scheme)
            _moving(browser, server)
        finally:
            browser.close()
            server.kill()
    click.echo(f"The pictures are in {IMAGES.relative_to(ROOT)}. Look at them before you commit them.")


def _set_up(server: Server, address: str) -> None:
    for title, script in OTHERS.items():
        server.ask("PATCH", f"/chats/{server.start_chat(script, workspace='.')}", {"title": title})
    made = {"type": "anthropic", "name": "written", "base_url": address, "api_key": "none"}
    provider = server.ask("POST", "/providers", made)["id"]
    model = {
        "provider_id": provider,
        "model": "story",
        "display_name": "Scripted (not an AI)",
        "is_default": True,
    }
    server.ask("POST", "/models", model | {"context_limit": 200_000})
    server.ask("PATCH", "/settings", {"chat_summaries": False})
    # Of what is harmless nobody is asked, so that the question in the pictures is about the change.
    server.ask("POST", "/rules", {"verdict": "allow", "tool": "execute"})


def _still(browser: Browser, server: Server, scheme: str) -> None:
    page = _signed_in(browser, server, STILL, scheme)
    _ask_for_it(page, server, delay=0)
    _wait_for_question(page)
    page.screenshot(path=IMAGES / f"chat-{scheme}.png", animations="disabled")
    _forget(page, server)


def _moving(browser: Browser, server: Server) -> None:
    page = _signed_in(browser, server, MOVING, "light")
    recording = Recording(page)
    _ask_for_it(page, server, delay=KEY_MILLISECONDS)
    _wait_for_question(page)
    page.wait_for_timeout(LOOK_MILLISECONDS)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("y")
    expect(page.get_by_role("article", name="Agent").last).to_contain_text(FINDING)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    page.wait_for_timeout(LOOK_MILLISECONDS)
    page.keyboard.press("Control+.")
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("1 file changed")
    page.wait_for_timeout(LOOK_MILLISECONDS)
    frames = only_what_changes(browser, recording.stop())
    data = animated_png(frames)
    if len(data) > RECORDING_BYTES_MAX:
        sys.exit(f"The recording has {len(data)} bytes; the limit is {RECORDING_BYTES_MAX}. Tell it shorter.")
    (IMAGES / "recording.png").write_bytes(data)
    click.echo(f"recording.png: {len(frames)} frames, {len(data) / 1000:.0f} kB")


def _signed_in(browser: Browser, server: Server, size: ViewportSize, scheme: str) -> Page:
    context = browser.new_context(
        viewport=size,
        color_scheme=scheme,  # type: ignore[arg-type]  # light or dark, as above
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(server.new_link())
    page.get_by_role("textbox", name="Message").wait_for()
    return page


def _ask_for_it(page: Page, server: Server, *, delay: float) -> None:
    make_project(server.workspace)
    page.get_by_role("textbox", name="Message").press_sequentially(REQUEST, delay=delay)
    page.get_by_role("button", name="Send", exact=True).click()


def _wait_for_question(page: Page) -> None:
    expect(page.get_by_role("heading", name="May the agent do this?")).to_be_visible()
    expect(page.get_by_role("heading", name=TITLE)).to_be_visible()


def _forget(page: Page, server: Server) -> None:
    """So that the next picture has the same list."""
    chat = page.url.rpartition("/")[2]
    page.context.close()
    server.ask("POST", f"/chats/{chat}/interrupt")
    server.ask("DELETE", f"/chats/{chat}")


if __name__ == "__main__":
    main()
