"""Git as a program, on a repository of our own that has the workspace as its work tree.

Nothing of the user's is read or written: neither their repository, index, branches and hooks, nor their
settings. A `.gitattributes` file in the workspace can name filters, but without settings they do not exist.
"""

import asyncio
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

SECONDS_MAX = 60.0
# What is read of an answer: the list of all files of a large tree.
OUTPUT_BYTES_MAX = 64 * 1024 * 1024
_ERROR_CHARACTERS_MAX = 500

# Our repository knows no other attributes, ignores what git ignores, and never converts line endings.
_SETTINGS = (
    "core.autocrlf=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.precomposeUnicode=false",
    "core.quotePath=false",
    "core.symlinks=true",
    "gc.auto=0",
    "protocol.allow=never",
    "submodule.recurse=false",
    "user.email=chatd@localhost",
    "user.name=chatd",
)


class GitError(Exception):
    """Git has failed. The message is what it said."""


def git_path() -> str | None:
    return shutil.which("git")


class Git:
    def __init__(self, program: str, directory: Path, work_tree: Path) -> None:
        self._directory = directory
        self._work_tree = work_tree
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        self._command = (program, *settings)

    async def __call__(
        self, *arguments: str, given: bytes = b"", index: str = "index", bytes_max: int = OUTPUT_BYTES_MAX
    ) -> bytes:
        """What git prints. Raises GitError, also when it prints more than `bytes_max` or takes too long."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self._work_tree,
            env=self._environment(index),
        )
        try:
            async with asyncio.timeout(SECONDS_MAX):
                printed, said = await _talk(process, given, bytes_max)
                code = await process.wait()
        except TimeoutError as error:
            raise GitError(f"git {arguments[0]} took longer than {SECONDS_MAX:g} seconds.") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if code:
            words = said.decode(errors="replace").strip()[:_ERROR_CHARACTERS_MAX]
            raise GitError(f"git {arguments[0]} failed: {words}")
        return printed

    def _environment(self, index: str) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._directory),
            "LC_ALL": "C.UTF-8",
            "GIT_DIR": str(self._directory),
            "GIT_WORK_TREE": str(self._work_tree),
            "GIT_INDEX_FILE": str(self._directory / index),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LITERAL_PATHSPECS": "1",
        }


async def _talk(process: asyncio.subprocess.Process, given: bytes, bytes_max: int) -> tuple[bytes, bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None

    async def give(to: asyncio.StreamWriter) -> None:
        # One that ends early says why, and that is more than a broken pipe.
        with suppress(BrokenPipeError, ConnectionResetError):
            to.write(given)
            await to.drain()
        to.close()

    async with asyncio.TaskGroup() as group:
        group.create_task(give(process.stdin))
        printed = group.create_task(_read(process.stdout, bytes_max))
        said = group.create_task(_read(process.stderr, bytes_max))
    if len(printed.result()) > bytes_max:
        raise GitError(f"git printed more than {bytes_max} bytes.")
    return printed.result(), said.result()


async def _read(stream: asyncio.StreamReader, bytes_max: int) -> bytes:
    """At most one byte more than the bound; the rest is read and dropped, so that git can end."""
    kept = bytearray()
    while piece := await stream.read(64 * 1024):
        kept += piece[: bytes_max + 1 - len(kept)]
    return bytes(kept)


def words(output: bytes) -> Sequence[str]:
    """What git prints with -z."""
    return [os.fsdecode(word) for word in output.split(b"\0") if word]
