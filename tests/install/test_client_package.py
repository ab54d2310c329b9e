"""The client as a package of its own: it needs two others, and nothing of the server."""

import asyncio
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from chatd.storage.transactions.transact import Store
from tests.support.served import served
from tools.client_package import build, modules

# What is in `sys.modules` after a first call, by the names that count.
PROGRAM = """
import json, sys
from chatd_client import Client

with Client(sys.argv[1], sys.argv[2]) as client:
    chat = client.create_chat("Name a planet.")
    listed = [each.id for each in client.chats().chats]
heavy = {"asyncpg", "starlette", "uvicorn", "cryptography", "mcp", "click", "prompt_toolkit", "chatd"}
print(json.dumps({"created": listed == [chat.id], "heavy": sorted(heavy & set(sys.modules))}))
"""


async def test_the_client_works_without_the_server_and_what_that_needs(store: Store, tmp_path: Path) -> None:
    build(tmp_path / "dist")
    (wheel,) = (tmp_path / "dist").glob("chatd_client-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    async with served(store) as server:
        ran = await _ran([sys.executable, "-c", PROGRAM, server.address, server.token], tmp_path / "site")

    assert json.loads(ran) == {"created": True, "heavy": []}


async def _ran(command: list[str], site: Path) -> str:
    done = await asyncio.to_thread(
        subprocess.run, command, env={"PYTHONPATH": str(site)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_it_takes_little_of_the_rest_along() -> None:
    others = {module for module in modules() if not module.startswith("chatd.client")}

    assert {module.split(".")[1] for module in others} <= {"kit", "errors"}
