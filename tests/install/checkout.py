"""A copy of this repository in which the web page was never built, and programs to run in it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from tests.cli.program import READY, environment_for

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# What was installed already, so that a copy installs nothing. Each is made after what it is made of.
STAMPS = (".stamp-venv", ".stamp-build", ".stamp-runtime", ".stamp-compiled")


def fresh_checkout(directory: Path) -> Path:
    shutil.copytree(ROOT / "src", directory / "src", ignore=_neither_page_nor_half_written)
    shutil.copytree(ROOT / "web", directory / "web", ignore=lambda *_: ["node_modules"])
    shutil.copytree(ROOT / "constraints", directory / "constraints")
    shutil.copytree(ROOT / "tools", directory / "tools")
    for name in ("Makefile", "pyproject.toml", "LICENSE"):
        shutil.copy2(ROOT / name, directory)
    (directory / "home").mkdir()
    (directory / "stamps").mkdir()
    for name in STAMPS:
        (directory / "stamps" / name).touch()
    return directory


def _neither_page_nor_half_written(directory: str, names: list[str]) -> list[str]:
    """Python writes bytecode under another name first, while we copy perhaps."""
    return [name for name in names if ".pyc." in name or (name == "web" and Path(directory).name == "chatd")]


def path_with(directory: Path, *programs: str) -> str:
    """A PATH on which only these are found, where this machine has them."""
    directory.mkdir()
    for name in programs:
        if found := shutil.which(name):
            (directory / name).symlink_to(found)
    return str(directory)


def make(*targets: str) -> list[str]:
    found = shutil.which("make")
    assert found is not None
    return [found, f"BIN={BIN}", "VENV=stamps", *targets]


def environment(directory: Path, more: Mapping[str, str]) -> dict[str, str]:
    """What is imported is the code of this directory, and not the one that is tested otherwise."""
    ours = environment_for(directory / "home", {"PYTHONPATH": str(directory / "src"), **more})
    return {name: value for name, value in ours.items() if not name.startswith("MAKE")}


@contextmanager
def served(command: Sequence[str], directory: Path, more: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The address of the server that this starts, and what was said before it was ready."""
    said = directory / "said"
    with said.open("w") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=directory,
            env=environment(directory, more),
            # To end all that it starts, by the number of its group.
            start_new_session=True,
        )
    assert process.stdout is not None
    try:
        ready = next((line for line in process.stdout if line.startswith(READY)), None)
        assert ready is not None, said.read_text()
        yield ready.removeprefix(READY).strip(), said.read_text()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def fetched(address: str) -> str:
    with urlopen(address, timeout=30) as answer:  # noqa: S310 - our own server
        text: str = answer.read().decode()
        return text
