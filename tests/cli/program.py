"""The program as people run it: a process, its exit code, what it prints, and HTTP to it."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

READY = "chatd ready at "


def environment_for(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Nothing of whoever runs the tests decides how the program behaves."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CHATD_", "XDG_")) and not name.endswith("_API_KEY")
    }
    return ours | {"HOME": str(home)} | dict(more or {})


def chatd(
    home: Path, *arguments: str, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command that ends by itself."""
    return subprocess.run(
        [sys.executable, "-m", "chatd", *arguments],
        capture_output=True,
        text=True,
        cwd=home,
        env=environment_for(home, more),
        check=False,
    )


def complaint(run: subprocess.CompletedProcess[str]) -> str:
    """What a failed run said: one sentence or two on one line, and no traceback."""
    assert run.stdout == ""
    assert run.stderr.startswith("chatd: ")
    assert run.stderr.count("\n") == 1, run.stderr
    return run.stderr.removeprefix("chatd: ").strip()


class Running:
    """A server, and a caller with the administrator's token."""

    def __init__(self, process: subprocess.Popen[str], address: str, session: aiohttp.ClientSession) -> None:
        self.process = process
        self.address = address
        self.session = session

    async def ask(self, method: str, path: str, **more: Any) -> tuple[int, Any]:
        async with self.session.request(method, self.address + path, **more) as answer:
            return answer.status, await answer.json() if answer.content_length else None

    async def start_chat(self, words: str) -> str:
        body = {"content": [{"type": "text", "text": words}]}
        status, chat = await self.ask("POST", "/api/v1/chats", json=body)
        assert status == 201, chat
        return str(chat["id"])

    async def end(self, number: signal.Signals) -> tuple[int, str, str]:
        """Send the signal; how the process ended, and everything else it printed."""
        self.process.send_signal(number)
        output, errors = await asyncio.to_thread(self.process.communicate)
        return self.process.returncode, output, errors


@asynccontextmanager
async def serving(
    home: Path, *arguments: str, token: str | None = None, more: Mapping[str, str] | None = None
) -> AsyncIterator[Running]:
    """A server on a free port with its data in `home/data`. It is gone when the block ends."""
    data_dir = home / "data"
    command = [sys.executable, "-m", "chatd", "serve", "--port", "0", "--data-dir", str(data_dir), *arguments]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=home,
        env=environment_for(home, more),
    )
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        assert line.startswith(READY), process.communicate()
        token = token or (data_dir / "admin-token").read_text().strip()
        async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
            yield Running(process, line.removeprefix(READY).strip(), session)
    finally:
        process.kill()
        await asyncio.to_thread(process.communicate)
