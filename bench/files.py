"""File tools: finding and searching in a tree of 50,000 files, and reading the end of a file of 2 GiB.

    python -m bench.files [--files N] [--rounds N]

The tools are called as an agent calls them: arguments are checked, the work is done in a thread, paths are
confined, results are sorted, bounded and grouped. The floor of a search is ripgrep as a program, with the
same rules, its output read and thrown away; that of a read is seek and read of the same bytes. Both take
turns, and the median counts.

The tree has files of forty lines in directories of fifty, a tenth of them ignored. The large file is sparse.

| Case | What is found |
|---|---|
| find by name | 1 file in 100 |
| find everything | as many paths as a call shows |
| search, rare | one line |
| search, common | a line of every file, of which 100 are shown; the search ends after 5000 of them |
| read the end | the last 4 KiB of 2 GiB |
| read the first lines | 500 lines |

Goals: at most 2 x ripgrep, and at most 2 ms for a read.
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import uvloop

from bench._server import verdict
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.tools.calls.call import run_call
from chatd.tools.files import file_tools
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.files import Files
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.local.search.ripgrep import find_program
from chatd.workspaces.processes import Processes
from chatd.workspaces.protection import Level, Protection

GOAL_RATIO, GOAL_MS = 2.0, 2.0
FILES_PER_DIRECTORY = 50
LINES_PER_FILE = 40
LARGE_BYTES = 2 * 1024**3
END_BYTES = 4096
FIRST_LINES = 500

RIPGREP = ("--no-config", "--hidden", "--no-require-git", "--glob=!**/.git")

# The tool, its arguments, and what ripgrep is told for the same.
SEARCHES: Mapping[str, tuple[str, dict[str, Json], tuple[str, ...]]] = {
    "find by name": ("find_files", {"pattern": "*00.py"}, ("--files", "--glob=*00.py")),
    "find everything": ("find_files", {"limit": 2000}, ("--files",)),
    "search, rare": ("search_files", {"pattern": "needle_12345"}, ("--line-number", "needle_12345")),
    "search, common": ("search_files", {"pattern": "def needle_"}, ("--line-number", "def needle_")),
}


LARGE = "large"
# The arguments, and which bytes of the file these are.
READS: Mapping[str, tuple[dict[str, Json], int, int]] = {
    "read the end": ({"byte_offset": -END_BYTES}, LARGE_BYTES - END_BYTES, END_BYTES),
    "read the first lines": ({"limit": FIRST_LINES}, 0, FIRST_LINES * 18),
}


class OnlyFiles:
    """A workspace in which no process is used."""

    checkpoints = None
    protection = Protection(level=Level.NONE, network=True)

    def __init__(self, files: Files) -> None:
        self.files = files

    @property
    def processes(self) -> Processes:
        raise NotImplementedError


def make_tree(root: Path, files: int) -> None:
    body = "".join(f"    value_{n} = compute({n}, 'some text')\n" for n in range(LINES_PER_FILE - 1))
    (root / ".gitignore").write_text("ignored_*\n")
    for start in range(0, files, FILES_PER_DIRECTORY):
        place = start // FILES_PER_DIRECTORY
        name = f"ignored_{place}" if place % 10 == 9 else f"package_{place}"
        folder = root / f"part_{place % 20}" / name
        folder.mkdir(parents=True)
        for number in range(start, min(start + FILES_PER_DIRECTORY, files)):
            (folder / f"module_{number:06}.py").write_text(f"def needle_{number}():\n{body}")


def make_large(path: Path) -> None:
    lines = "".join(f"line {n} of a log\n" for n in range(1000)).encode()
    with path.open("wb") as file:
        file.write(lines)
        file.seek(LARGE_BYTES - len(lines))
        file.write(lines)


async def milliseconds_of(deed: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await deed()
    return (time.perf_counter() - began) * 1e3


class Bench:
    def __init__(self, root: Path, threads: Threads, rounds: int) -> None:
        self._root = root
        self._rounds = rounds
        self._toolbox = Toolbox(file_tools())
        self._setting = Setting(
            chat_id=ChatId("chat"),
            call_id=CallId("call"),
            show=lambda _: None,
            workspace=OnlyFiles(LocalFiles(root, threads)),
        )

    async def searches(self) -> None:
        program = find_program()
        assert program is not None, "ripgrep is not installed"
        for name, (tool, args, told) in SEARCHES.items():
            command = (program, *RIPGREP, *told)
            low, high = await self._alternate(
                lambda: self._bare(command),  # noqa: B023 - awaited here
                lambda: self._call(tool, args),  # noqa: B023 - as above
            )
            print(
                f"  {name:22} ripgrep {low:7.1f} ms, chatd {high:7.1f} ms: {high / low:4.2f} x "
                f"(goal {GOAL_RATIO:g}: {verdict(high / low, GOAL_RATIO)})",
                flush=True,
            )

    async def reads(self) -> None:
        for name, (args, offset, size) in READS.items():
            low, high = await self._alternate(
                lambda: self._bare_read(offset, size),  # noqa: B023 - awaited here
                lambda: self._call("read_file", {"path": LARGE, **args}),  # noqa: B023 - as above
            )
            print(
                f"  {name:22} seek, read {low:7.3f} ms, chatd {high:7.3f} ms: {high / low:4.1f} x "
                f"(goal {GOAL_MS:g} ms: {verdict(high, GOAL_MS)})",
                flush=True,
            )

    async def _alternate(
        self, floor: Callable[[], Awaitable[None]], ours: Callable[[], Awaitable[None]]
    ) -> tuple[float, float]:
        low, high = [], []
        for _ in range(self._rounds + 1):
            low.append(await milliseconds_of(floor))
            high.append(await milliseconds_of(ours))
        # The first round warms up.
        return median(low[1:]), median(high[1:])

    async def _call(self, tool: str, args: Json) -> None:
        ran = await run_call(self._toolbox, tool, args, self._setting)
        assert not ran.result.is_error, ran.result

    async def _bare(self, command: Sequence[str]) -> None:
        subprocess.run(command, cwd=self._root, capture_output=True, check=True)  # noqa: ASYNC221 - alone

    async def _bare_read(self, offset: int, size: int) -> None:
        with (self._root / LARGE).open("rb") as file:
            file.seek(offset)
            assert len(file.read(size)) == size


async def run(options: argparse.Namespace) -> None:
    threads = Threads()
    with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder:
        root = Path(folder)
        make_tree(root, options.files)
        bench = Bench(root, threads, options.rounds)
        print(f"{options.files} files, {options.rounds} rounds", flush=True)
        await bench.searches()
        make_large(root / LARGE)
        await bench.reads()
    threads.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=15)
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
