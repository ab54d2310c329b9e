"""Git as a program, on a repository of our own that has the workspace as its work tree.

Nothing of the user's is written, and of their repository only the index is read; neither hooks nor their
settings count. Where the kernel has Landlock, git reads nothing outside of the workspace and writes only to
our repository: a file that is exchanged for a link while git reads it leads nowhere.
"""

import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from chatd.workspaces.local.files.threads import Stop
from chatd.workspaces.local.programs.restricted import Reach, end, start_restricted

# What is read of an answer: the list of all files of a large tree.
OUTPUT_BYTES_MAX = 64 * 1024 * 1024
MEMORY_BYTES_MAX = 4 * 1024**3
_ERROR_BYTES_MAX = 500
_CHUNK_BYTES = 256 * 1024
# How often it is asked whether the caller still waits.
_ASKED_MILLISECONDS = 100
# What git needs, on the systems we know.
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/ld.so.preload", "/dev/urandom",
)  # fmt: skip

_SETTINGS = (
    "core.autocrlf=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.precomposeUnicode=false",
    # Names that only other systems would misread are kept too.
    "core.protectHFS=false",
    "core.protectNTFS=false",
    "core.quotePath=false",
    "core.symlinks=true",
    "core.untrackedCache=false",
    "gc.auto=0",
    "protocol.allow=never",
    "submodule.recurse=false",
)


class GitError(Exception):
    """Git has failed. The message is what it said."""


class TooLong(GitError):
    """Git printed more than the bound."""


def git_path() -> str | None:
    found = shutil.which("git")
    return found if found is not None and found.startswith("/") else None


class Git:
    """Runs git in the thread that calls it. `lock` is a descriptor that each run keeps open until it ends."""

    def __init__(self, program: str, directory: Path, root: Path, *, stop: Stop, lock: int) -> None:
        self._program = program
        self._directory = directory
        self._root = root
        self._lock = lock
        self.stop = stop

    def __call__(
        self,
        *arguments: str,
        given: bytes = b"",
        bytes_max: int = OUTPUT_BYTES_MAX,
        work_tree: Path | None = None,
        index: Path | None = None,
        expected: tuple[int, ...] = (0,),
    ) -> bytes:
        """What git prints. Raises GitError, TooLong, and Stopped when the caller is gone."""
        printed = bytearray()
        with self.printing(
            *arguments, given=given, work_tree=work_tree, index=index, expected=expected
        ) as output:
            while data := self.read(output, _CHUNK_BYTES):
                printed += data
                if len(printed) > bytes_max:
                    raise TooLong(f"git {arguments[0]} printed more than {bytes_max} bytes.")
        return bytes(printed)

    @contextmanager
    def printing(
        self,
        *arguments: str,
        given: bytes = b"",
        work_tree: Path | None = None,
        index: Path | None = None,
        expected: tuple[int, ...] = (0,),
    ) -> Iterator[IO[bytes]]:
        """What git prints, as it comes. Raises GitError at the end of the block when git has failed."""
        with ExitStack() as opened:
            # Files, so that neither side waits for the other.
            asked = opened.enter_context(tempfile.TemporaryFile())
            said = opened.enter_context(tempfile.TemporaryFile())
            asked.write(given)
            asked.seek(0)
            process = self._start(arguments, self._environment(work_tree or self._root, index), asked, said)
            opened.callback(end, process)
            assert process.stdout is not None
            yield process.stdout
            if process.wait() not in expected:
                said.seek(0)
                words = said.read(_ERROR_BYTES_MAX).decode(errors="replace").strip()
                # People read it; where the server keeps its data is none of their business.
                words = words.replace(str(self._directory), "the repository")
                raise GitError(f"git {arguments[0]} failed: {words}")

    def read(self, output: IO[bytes], bytes_max: int) -> bytes:
        """Some of what git prints; nothing at the end."""
        # Not `select`: a server with many connections has descriptors beyond its reach.
        poll = select.poll()
        poll.register(output, select.POLLIN)
        while not poll.poll(_ASKED_MILLISECONDS):
            self.stop.check()
        self.stop.check()
        return os.read(output.fileno(), bytes_max)

    def _start(
        self, arguments: Sequence[str], environment: Mapping[str, str], asked: IO[bytes], said: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        work_tree = environment["GIT_WORK_TREE"]
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        # The one command that refuses it.
        literal = [] if arguments[0] == "check-ignore" else ["--literal-pathspecs"]
        reach = Reach(
            readable=(work_tree, self._program),
            readable_if_there=_SYSTEM,
            writable=(str(self._directory), os.devnull),
        )

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(  # noqa: S603
                [self._program, *settings, *literal, *arguments],
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=said,
                bufsize=0,
                cwd=work_tree,
                env=environment,
                pass_fds=(self._lock,),
                start_new_session=True,
            )

        try:
            return start_restricted(start, reach, memory_bytes_max=MEMORY_BYTES_MAX)
        except OSError as error:
            raise GitError(f"git cannot be started: {error}.") from error

    def _environment(self, work_tree: Path, index: Path | None) -> Mapping[str, str]:
        other = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
        return {
            **other,
            "PATH": os.defpath,
            "HOME": str(self._directory),
            "LC_ALL": "C.UTF-8",
            "GIT_DIR": str(self._directory),
            "GIT_WORK_TREE": str(work_tree),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }


def words(output: bytes) -> list[str]:
    """What git prints with -z."""
    return [os.fsdecode(word) for word in output.split(b"\0") if word]


def lines(paths: Sequence[str]) -> bytes:
    """Paths as git reads them with -z."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
