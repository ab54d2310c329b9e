"""chatd demo: an agent mends a small project in the terminal, on a server of its own. No key is needed."""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from chatd.cli import out
from chatd.cli.context import run_loop
from chatd.cli.operate.demo_project import SCRIPT, make_project
from chatd.cli.talk.chat import talk_in_terminal
from chatd.cli.talk.choice import Choice
from chatd.client import AsyncClient
from chatd.errors import Unusable
from chatd.settings.spelling import PREFIX
from chatd.storage.data_dir.token_file import TOKEN_FILE

MODEL = "scripted/scripted"
READY = "chatd ready at "
READY_SECONDS = 30.0
STOP_SECONDS = 25.0


def run(*, directory: Path | None, yes: bool) -> None:
    if directory is not None and directory.exists() and not _is_empty(directory):
        raise Unusable(f"{directory} is no empty directory. Name one that does not exist yet.")
    with tempfile.TemporaryDirectory(prefix="chatd-demo-") as folder, _project(directory, folder) as project:
        run_loop(_show(Path(folder), project, yes=yes))


def _is_empty(directory: Path) -> bool:
    try:
        return not any(directory.iterdir())
    except OSError:
        return False  # A file, or not ours to look into.


@contextmanager
def _project(directory: Path | None, folder: str) -> Iterator[Path]:
    project = (directory or Path(folder) / "project").resolve()
    try:
        make_project(project)
    except OSError as error:
        raise Unusable(f"The project cannot be written to {project}: {error.strerror}.") from error
    out.say_aside(f"A small project is in {project}.")
    yield project
    out.say_aside(f"The project stays in {project}." if directory else "The project is removed again.")


async def _show(folder: Path, project: Path, *, yes: bool) -> None:
    data = folder / "data"
    # The project is harmless, so a machine without a sandbox will do.
    env = {"CHATD_APPROVALS": "never", "CHATD_SANDBOX": "off"} if yes else {}
    async with _server(data, project, env) as address:
        client = AsyncClient(address, (data / TOKEN_FILE).read_text(encoding="ascii").strip())
        await talk_in_terminal(client, None, Choice(model=MODEL), first=SCRIPT)


@asynccontextmanager
async def _server(data: Path, project: Path, env: Mapping[str, str]) -> AsyncIterator[str]:
    """A server that ends with the block. Its log is in the data directory's folder."""
    command = ("serve", "--port", "0", "--data-dir", str(data), "--workspace", str(project))
    log = data.parent / "server.log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "chatd", *command,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=stderr,
            # Ctrl-C in the terminal is for the talk, not for the server.
            start_new_session=True, env=_clean(os.environ) | dict(env),
        )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            line = (await process.stdout.readline()).decode()
        if not line.startswith(READY):
            raise Unusable(f"The server did not start: {log.read_text(encoding='utf-8').strip()[-500:]}")
        yield line.removeprefix(READY).strip()
    finally:
        await _stop(process)


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Without settings of the user's own server, such as its database."""
    return {name: value for name, value in environment.items() if not name.startswith(PREFIX)}


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
