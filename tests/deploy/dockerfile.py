"""Reads the Dockerfile and .dockerignore, and copies files as they say."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.install.checkout import ROOT

DOCKERFILE = ROOT / "deploy/container/Dockerfile"
IGNORED = ROOT / ".dockerignore"


class Instruction(NamedTuple):
    name: str
    rest: str


class Stage(NamedTuple):
    name: str
    instructions: tuple[Instruction, ...]


def instructions() -> list[Instruction]:
    """Each on one line, in the order of the file."""
    lines = DOCKERFILE.read_text().replace("\\\n", " ").splitlines()
    told = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return [Instruction(name, rest.strip()) for name, _, rest in told]


def stages() -> list[Stage]:
    found: list[Stage] = []
    for instruction in instructions():
        if instruction.name == "FROM":
            found.append(Stage(instruction.rest.partition(" AS ")[2], ()))
        else:
            found[-1] = found[-1]._replace(instructions=(*found[-1].instructions, instruction))
    return found


def is_sent(path: str) -> bool:
    """Whether the build is given this file of the repository. The last line that fits decides."""
    sent = True
    for line in IGNORED.read_text().splitlines():
        if line and not line.startswith("#") and _pattern(line.removeprefix("!")).fullmatch(path):
            sent = line.startswith("!")
    return sent


def _pattern(line: str) -> re.Pattern[str]:
    """What fits also fits all that is in it."""
    spelled = re.escape(line).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    return re.compile(f"{spelled}(?:/.*)?")


def copy(rest: str, directory: Path, stage_roots: dict[str, Path]) -> None:
    """COPY, into the working directory of a stage."""
    origin = ROOT
    sent: Callable[[str], bool] = is_sent
    words = rest.split()
    if words[0].startswith("--from="):
        origin, sent = stage_roots[words.pop(0).removeprefix("--from=")], lambda _: True
    *sources, target = words
    for source in (origin / each.lstrip("/") for each in sources):
        into = directory / target
        for path in _files(source):
            if sent(path.relative_to(origin).as_posix()):
                # A folder is copied as what is in it, a file as itself.
                name = path.name if path == source else path.relative_to(source)
                (into / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, into / name)


def _files(source: Path) -> Iterator[Path]:
    """Without a look into what is never sent, and large."""
    if source.is_file():
        yield source
        return
    for path in source.iterdir():
        if path.name not in ("node_modules", "__pycache__"):
            yield from _files(path)
