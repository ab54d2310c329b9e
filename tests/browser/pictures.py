"""The pictures in the README: a scripted session in a real browser, light and dark.

    python -m tests.browser.pictures

Needs the built page (`make page`) and a Chromium, and writes to docs/images.
"""

import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.conftest import PATIENCE_MILLISECONDS
from tests.browser.program import Server
from tools.chromium import find_program

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
GREETING = 'def greet(name):\n    print("Hello " + name)\n'
SESSION = """\
think The greeting lacks a comma, and the test says so.
say I read the file and the test first.
call read_file {"path": "greet.py"}
next
call edit_files {"files": [{"path": "greet.py", "edits": [\
{"old_text": "\\"Hello \\" + name", "new_text": "f\\"Hello, {name}.\\""}]}]}
next
call execute {"command": "python3 greet.py"}
next
say Done.
"""
QUESTION = """\
call ask_user_question {"questions": [{"header": "Release", "question": "Which branch shall I release?", \
"options": [{"label": "main"}, {"label": "next"}]}]}"""
# Beside the chat in the picture: title and script.
OTHERS = {"Compare two indexes": "say The second one is smaller.", "Release 0.2": QUESTION}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        server = Server(Path(home))
        browser = playwright.chromium.launch(executable_path=find_program(), args=["--no-sandbox"])
        try:
            _tell(server)
            for scheme in ("light", "dark"):
                _take(browser, server, scheme)
        finally:
            browser.close()
            server.kill()


def _tell(server: Server) -> None:
    (server.workspace / "greet.py").write_text(GREETING)
    for title, script in (
        ("Compare two indexes", "say The second one is smaller."),
        ("Release 0.2", QUESTION),
    ):
        server.ask("PATCH", f"/chats/{server.start_chat(script, workspace='.')}", {"title": title})


def _take(browser: Browser, server: Server, scheme: Literal["light", "dark"]) -> None:
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(server.new_link())
    page.get_by_role("textbox", name="Message").wait_for()
    chat = server.start_chat(f"Mend the greeting, please.\n```script\n{SESSION}```", workspace=".")
    server.ask("PATCH", f"/chats/{chat}", {"title": "Mend the greeting"})
    page.goto(f"{server.address}/chats/{chat}")
    expect(page.get_by_role("heading", name="May the agent do this?")).to_be_visible()
    page.screenshot(path=IMAGES / f"chat-{scheme}.png", animations="disabled")
    context.close()
    server.ask("DELETE", f"/chats/{chat}")


if __name__ == "__main__":
    main()
