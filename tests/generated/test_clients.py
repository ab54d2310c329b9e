"""Clients that others' generators make of the description that a server serves, on the same journey.

What is generated is not kept: a change of the description that breaks a generator fails here, and one that
changes what programs write fails to compile.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.journeys.server import Server, served

HERE = Path(__file__).parent
WEB = HERE.parents[1] / "web"
MODULES = WEB / "node_modules"

SEEN = {
    "waited_for": ["result", "weather", {"place": "Graz"}],
    "queued": False,
    "file": ["notes.txt", "text/plain", 5],
    "said": ["Warm.", "I have read it."],
    "pages": [2, 1],
    "missing": [404, "chat_not_found"],
    "empty": [400, "content"],
    "removed": [204, 404],
}


async def test_a_typescript_client_compiles_strictly_and_goes_on_the_journey(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not MODULES.exists():
        pytest.skip("there is no Node.js, or nothing that the page is made with: run `make page`")
    made = tmp_path / "made"
    made.mkdir()
    (made / "node_modules").symlink_to(MODULES)
    (made / "package.json").write_text('{"type": "module"}')
    for name in ("journey.ts", "tsconfig.json"):
        shutil.copy2(HERE / name, made)

    async with served(tmp_path) as server:
        description = await described(server, made)
        await run(made, node, MODULES / "openapi-typescript/bin/cli.js", description, "--output", "types.ts")
        await run(made, node, MODULES / "typescript/bin/tsc")
        seen = await run(made, node, "built/journey.js", server.address, server.token)

    assert json.loads(seen) == SEEN


async def test_a_python_client_has_types_that_hold_and_goes_on_the_journey(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    # It would be formatted otherwise, which takes longer than the rest.
    (made / "config.yml").write_text("post_hooks: []\npackage_name_override: chatd_generated\n")

    async with served(tmp_path) as server:
        description = await described(server, made)
        options = ["--path", description, "--config", "config.yml", "--output-path", "chatd_generated"]
        generate = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
        await run(made, *generate, "--fail-on-warning", *options)
        await run(made, sys.executable, "-m", "mypy", "--strict", "--config-file=", HERE / "journey.py")
        seen = await run(made, sys.executable, HERE / "journey.py", server.address, server.token)

    assert json.loads(seen) == SEEN


async def described(server: Server, directory: Path) -> str:
    """The description as this server serves it, to a program without a token."""

    def fetch() -> bytes:
        with urlopen(f"{server.address}/api/v1/openapi.json", timeout=30) as answer:  # noqa: S310 - our own
            data: bytes = answer.read()
            return data

    (directory / "openapi.json").write_bytes(await asyncio.to_thread(fetch))
    return "openapi.json"


async def run(directory: Path, *command: str | Path) -> str:
    words = [str(word) for word in command]
    environment = {**os.environ, "PYTHONPATH": str(directory), "MYPYPATH": str(directory)}
    ran = await asyncio.to_thread(
        subprocess.run, words, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{' '.join(words)}\n{ran.stdout}\n{ran.stderr}"
    return str(ran.stdout)
