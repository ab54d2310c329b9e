"""The recording of `chatd chat` in the README, made by `make recording`: real programs in a terminal.

What the model says is the story of the other pictures. Nothing else is staged: after a change of how the
terminal looks, run it again and look at the result.
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

import click

from chatd.cli.operate.demo_project import make_project
from tests.browser.pictures.story import FINDING, REQUEST, speaking
from tests.browser.program import Server
from tests.cli.program import environment_for
from tests.cli.recording.frames import Frame, RecordedTerminal, Shown
from tests.cli.recording.svg import svg
from tests.support.pseudo_terminal import Size, in_terminal

ROOT = Path(__file__).resolve().parents[3]
IMAGES = ROOT / "docs" / "images"
# Seen in the picture, so it has a name of its own.
HOME = Path(tempfile.gettempdir()) / "chatd"
TITLE = (
    "A recording of chatd chat: somebody asks for a mistake to be mended; the agent runs the tests, asks "
    "before it changes a file, and shows the change"
)
# As for every file of the repository: .pre-commit-config.yaml.
BYTES_MAX = 500 * 1024

SIZE = Size(columns=92, rows=30)
KEY_SECONDS = 0.04
LOOK_SECONDS = 1.5
PATIENCE_SECONDS = 60
# In the line of status, while it waits for an answer and while it works.
ASKED = "One key answers."
WORKS = "…>"


def main() -> None:
    if HOME.exists():
        sys.exit(f"{HOME} is there already. Remove it, and try again.")
    HOME.mkdir()
    try:
        frames = _recorded(HOME)
    finally:
        shutil.rmtree(HOME)
    moving = svg(frames, SIZE, title=TITLE)
    if len(moving) > BYTES_MAX:
        sys.exit(f"The recording has {len(moving)} bytes; the limit is {BYTES_MAX}. Tell it shorter.")
    # The last question: whether the file may be changed.
    still = max((frame for frame in frames if _has(frame.shown, ASKED)), key=frames.index)
    (IMAGES / "terminal.svg").write_text(moving, encoding="utf-8")
    (IMAGES / "terminal-still.svg").write_text(svg([still], SIZE, title=TITLE), encoding="utf-8")
    seconds = sum(frame.seconds for frame in frames)
    click.echo(f"terminal.svg: {len(frames)} frames, {seconds:.0f} s, {len(moving) / 1000:.0f} kB.")
    click.echo(f"It is in {IMAGES.relative_to(ROOT)}. Look at it before you commit it.")


def _recorded(home: Path) -> list[Frame]:
    with speaking() as model:
        server = Server(home)
        try:
            _set_up(server, model)
            make_project(server.workspace)
            return asyncio.run(_session(server)).frames()
        finally:
            server.kill()


def _set_up(server: Server, address: str) -> None:
    made = {"type": "anthropic", "name": "scripted-story", "base_url": address, "api_key": "none"}
    provider = server.ask("POST", "/providers", made)["id"]
    model = {"provider_id": provider, "model": "no-AI", "is_default": True, "context_limit": 200_000}
    server.ask("POST", "/models", model)
    server.ask("PATCH", "/settings", {"chat_summaries": False})


def _has(shown: Shown, words: str) -> bool:
    return any(words in span.text for row in shown.rows for span in row)


async def _session(server: Server) -> RecordedTerminal:
    environment = environment_for(server.home, {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
    command = (sys.executable, "-m", "chatd", "chat", "--data-dir", "data")
    async with in_terminal(RecordedTerminal, command, server.home, environment, SIZE) as terminal:
        await _sees(terminal, ">")
        await _types(terminal, REQUEST + "\r")
        # The tests may be run in this chat, so the agent asks for them once; then it asks for the change.
        for key in ("c", "y"):
            await _sees(terminal, ASKED)
            await asyncio.sleep(LOOK_SECONDS)
            await _types(terminal, key)
            await _sees(terminal, WORKS)
        await _sees(terminal, FINDING)
        await asyncio.sleep(LOOK_SECONDS)
        await _types(terminal, "/quit\r")
        await terminal.process.wait()
        return terminal


async def _types(terminal: RecordedTerminal, keys: str) -> None:
    for key in keys:
        terminal.type(key)
        await asyncio.sleep(KEY_SECONDS)


async def _sees(terminal: RecordedTerminal, words: str) -> None:
    seen = await terminal.wait_until(lambda: any(words in row for row in terminal.rows()), PATIENCE_SECONDS)
    if not seen:
        sys.exit("\n".join([f"{words!r} did not come. On the screen is:", *terminal.rows()]))


if __name__ == "__main__":
    main()
