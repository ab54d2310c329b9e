"""Builds `chatd-client`: the client as a package of its own, without the server and what that needs.

`chatd.client` and the few files below it are copied under the name `chatd_client`, with other imports, so
that both packages can be installed beside each other. `make client` writes the wheel into dist.
"""

import argparse
import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
CLIENT, PACKAGE = "chatd.client", "chatd_client"
# What the client imports of others, and from which version on, is said in pyproject.toml.
NEEDS = ("aiohttp", "msgspec")

_PROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "chatd-client"
version = "{version}"
description = "Calls a chatd server: chats of AI agents over HTTP, with streams that come back by themselves."
requires-python = ">=3.11"
license = "Apache-2.0"
dependencies = [{needs}]

[tool.hatch.build.targets.wheel]
packages = ["chatd_client"]
"""


def modules() -> list[str]:
    """The client, and every module of ours that it imports, directly or not."""
    found: set[str] = set()
    waiting = [CLIENT, *(_name(path) for path in (SOURCE / "chatd/client").rglob("*.py"))]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        waiting += [each for each in _imports(_file(module)) if each not in found]
    return sorted(found)


def write_package(directory: Path) -> None:
    """A project from which the wheel is built."""
    for module in modules():
        source = _file(module)
        target = directory / renamed(module).replace(".", "/")
        target = target / "__init__.py" if source.name == "__init__.py" else target.with_suffix(".py")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_with_other_imports(source.read_text(encoding="utf-8")), encoding="utf-8")
    for folder in {path.parent for path in directory.rglob("*.py")}:
        (folder / "__init__.py").touch()
    (directory / PACKAGE / "py.typed").touch()
    (directory / "pyproject.toml").write_text(_project(), encoding="utf-8")


def renamed(module: str) -> str:
    """`chatd.client.events` is `chatd_client.events`; `chatd.kit.codec` is `chatd_client.base.kit.codec`."""
    if module == CLIENT or module.startswith(f"{CLIENT}."):
        return PACKAGE + module.removeprefix(CLIENT)
    return f"{PACKAGE}.base{module.removeprefix('chatd')}"


def _with_other_imports(text: str) -> str:
    return re.sub(r"(?<=from )chatd(?:\.\w+)*(?= import)", lambda match: renamed(match[0]), text)


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "chatd":
            yield node.module


def _file(module: str) -> Path:
    path = SOURCE / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _name(file: Path) -> str:
    return ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def _project() -> str:
    ours = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needs = [re.search(rf'"{name}[^"]*"', ours) for name in NEEDS]
    version = re.search(
        r'__version__ = "([^"]+)"', (SOURCE / "chatd/__init__.py").read_text(encoding="utf-8")
    )
    assert version is not None
    return _PROJECT.format(version=version[1], needs=", ".join(found[0] for found in needs if found))


def build(dist: Path) -> None:
    with tempfile.TemporaryDirectory() as made:
        write_package(Path(made))
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(dist)]
        subprocess.run(command, cwd=made, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    build(parser.parse_args().dist.resolve())
