"""The web page in a browser: an answer that streams in a long chat, and what the first load weighs.

    python -m bench.browser [--messages N] [--rate R] [--seconds S]

A provider (`_speaker.py`) sends R words of Markdown a second for S seconds; `chatd serve`, as a user runs it,
has a chat of N messages; Chromium shows that chat, with all of its messages loaded, and follows what is said.
Chromium's own trace tells how long each task of the page's main thread took. A task of more than 50 ms is one
too many: meanwhile the page answers nobody.

A task is measured by the clock and by the CPU time of its thread. On a machine that others use, the clock
counts what they do, so the goal is for CPU time; the load of the machine is printed beside it.

The first load is every file that a browser without a cache fetches until the chat is shown and its code has
its colours, compressed as it was sent.

Needs the built page (`make page`) and a Chromium.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count, islice
from pathlib import Path

import aiohttp
import uvloop
from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright

from bench._server import TOKEN, Process, chatd, running, verdict
from bench._trace import CATEGORIES, LONG_MS, Work, work_in
from bench.load import MODEL, SETTINGS, held
from tools.chromium import WHAT_TO_DO, find_program

GOAL_FIRST_LOAD_KB = 300
PATIENCE_MS = 120_000
# After the last word it is saved, read again and given its colours.
AFTERWARDS_SECONDS = 2
ANSWER = """\
The file has **three** functions. Here is `one` of them:

```python
def greet(name):
    return f"Hello, {name}."
```

- It is short.
- It is tested.
"""
# Each page is asked for when the one before is there: a person who scrolls up does the same.
LOAD_EVERYTHING = """async () => {
  const button = () => [...document.querySelectorAll("[role=log] button")]
    .find((each) => each.textContent.startsWith("Earlier messages"));
  const isLoading = () => document.querySelector("[role=log] [aria-label='Loading earlier messages']");
  while (button() || isLoading()) {
    button()?.click();
    await new Promise((done) => setTimeout(done, 20));
  }
}"""


def history() -> Iterator[dict[str, object]]:
    """Turns of a question, a call, its result and an answer."""
    for number in count():
        call = {"tool_call_id": f"call-{number}", "tool_name": "read_file"}
        yield said("user", {"type": "text", "text": f"Question {number}: what does it do?"})
        yield said("assistant", {"type": "tool-call", "args": {"path": "greet.py"}, **call})
        yield said("tool", {"type": "tool-result", "result": {"content": "def greet(name): …"}, **call})
        yield said("assistant", {"type": "text", "text": ANSWER})


def said(role: str, part: object) -> dict[str, object]:
    return {"role": role, "content": [part]}


@asynccontextmanager
async def serving(speaker: Process) -> AsyncIterator[Process]:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "chatd.toml"
        config.write_text(SETTINGS.format(address=f"{speaker.address}/v1"), encoding="utf-8")
        async with running(chatd(Path(folder), log_level="warning")) as server:
            yield server


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    program = find_program()
    assert program is not None, f"There is no Chromium. {WHAT_TO_DO}"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        await browser.close()


async def sign_in(browser: Browser, server: Process) -> BrowserContext:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    await page.goto(server.address)
    await page.get_by_label("Token").fill(TOKEN)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("textbox", name="Message").wait_for()
    return context


async def grown(session: aiohttp.ClientSession, server: Process, messages: int) -> str:
    """The id of a chat that has so many messages."""
    body = {
        "format": "chatd-chat",
        "version": 1,
        "title": "Grown",
        "messages": list(islice(history(), messages)),
    }
    async with session.post(f"{server.address}/api/v1/chats/import", json=body) as answer:
        answer.raise_for_status()
        return str((await answer.json())["id"])


async def first_load(browser: Browser, signed_in: BrowserContext, address: str) -> None:
    """With the same sign-in, and nothing else that a browser keeps."""
    context = await browser.new_context(storage_state=await signed_in.storage_state())
    page = await context.new_page()
    fetched: list[Request] = []

    def see(request: Request) -> None:
        fetched.append(request)

    page.on("requestfinished", see)
    await page.goto(address)
    await page.locator(".code-keyword").first.wait_for(timeout=PATIENCE_MS)
    files = [request for request in fetched if "/api/" not in request.url]
    size_kb = sum([(await request.sizes())["responseBodySize"] for request in files]) / 1000
    print(
        f"first load: {len(files)} files, {size_kb:.1f} kB compressed (goal {GOAL_FIRST_LOAD_KB}): "
        f"{verdict(size_kb, GOAL_FIRST_LOAD_KB)}"
    )
    await context.close()


async def show_everything(page: Page, address: str) -> None:
    await page.goto(address)
    await page.get_by_role("article").last.wait_for()
    await page.get_by_role("log").evaluate(LOAD_EVERYTHING)
    await page.get_by_role("log").focus()
    await page.keyboard.press("End")


async def asked(session: aiohttp.ClientSession, server: Process, speaker: Process, chat_id: str) -> None:
    """Returns when the provider has the request, and waits for the word to begin."""
    body = {"content": [{"type": "text", "text": "hold"}], "model": MODEL}
    async with session.post(f"{server.address}/api/v1/chats/{chat_id}/messages", json=body) as answer:
        answer.raise_for_status()
    while not await held(session, speaker.address):  # noqa: ASYNC110 - it is in another process
        await asyncio.sleep(0.1)


def show(work: Work) -> None:
    print(
        f"{work.tasks} tasks in {work.seconds:.0f} s, {work.cpu_percent:.0f} % of a core; the load of the "
        f"machine was {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
        f"by CPU time:  {work.long_by_cpu} tasks above {LONG_MS:g} ms, the longest "
        f"{work.longest_cpu_ms:.1f} ms (goal {LONG_MS:g}): {verdict(work.longest_cpu_ms, LONG_MS)}\n"
        f"by the clock: {work.long} tasks above {LONG_MS:g} ms, the longest {work.longest_ms:.1f} ms\n"
        f"frames: {work.frames}, of which {work.dropped} were dropped"
    )


async def run(messages: int, rate: int, seconds: int) -> None:
    speaking = ("--deltas", str(rate * seconds), "--rate", str(rate), "--markdown")
    async with (
        running(Process("-m", "bench._speaker", *speaking)) as speaker,
        serving(speaker) as server,
        aiohttp.ClientSession(headers={"authorization": f"Bearer {TOKEN}"}) as session,
        browsing() as browser,
    ):
        chat_id = await grown(session, server, messages)
        address = f"{server.address}/chats/{chat_id}"
        context = await sign_in(browser, server)
        await first_load(browser, context, address)
        page = await context.new_page()
        await show_everything(page, address)
        await asked(session, server, speaker, chat_id)
        print(f"a chat of {messages} messages, {rate} deltas a second:")
        await browser.start_tracing(page=page, categories=list(CATEGORIES))
        async with session.get(f"{speaker.address}/go"):
            await asyncio.sleep(seconds + AFTERWARDS_SECONDS)
        show(work_in(await browser.stop_tracing()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=200, help="deltas per second")
    parser.add_argument("--seconds", type=int, default=30, help="how long the answer takes")
    chosen = parser.parse_args()
    uvloop.run(run(chosen.messages, chosen.rate, chosen.seconds))


if __name__ == "__main__":
    main()
