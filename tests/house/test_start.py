"""What a start does not import: it takes time and memory that most servers never need."""

import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest

# By what is started: packages that are imported when something of them is first used.
LATER: Mapping[str, Sequence[str]] = {
    "chatd.cli.main": (
        "aiohttp",
        "asyncio",
        "msgspec",
        "prometheus_client",
        "sqlite3",
        "starlette",
        "structlog",
        "uvicorn",
    ),
    "chatd.cli.talk.chat": (
        # Of a server.
        "chatd.accounts",
        "chatd.api",
        "chatd.catalog",
        "chatd.domain",
        "chatd.settings.values",
        "structlog",
        "uvloop",
        # Of programs without an event loop.
        "chatd.client.synchronous",
        # Where no code is shown.
        "pygments",
    ),
    "chatd.cli.operate.serve": (
        # Where no model is called over HTTP.
        "aiohttp",
        "chatd.providers.dialects.anthropic",
        "chatd.providers.dialects.chat",
        "chatd.providers.dialects.converse",
        "chatd.providers.dialects.gemini",
        "chatd.providers.dialects.responses",
        # Where no secret is kept.
        "cryptography",
        # Where no MCP server is called.
        "mcp",
        "pydantic",
        "httpx",
        "httpx2",
        "jsonschema",
        # Where no viewer has a WebSocket.
        "websockets",
        # On SQLite.
        "asyncpg",
        # Where no traces are sent.
        "opentelemetry",
        # Where nobody asks for the description of the API.
        "chatd.api.openapi",
    ),
}


@pytest.mark.parametrize("started", LATER)
def test_a_start_does_not_import_what_is_needed_later_or_never(started: str) -> None:
    program = (
        "import sys, importlib\n"
        f"importlib.import_module({started!r})\n"
        "print(*sorted(name for name, module in sys.modules.items() if module is not None))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    found = sorted(set(done.stdout.split()) & set(LATER[started]))
    assert found == [], (
        f"`{started}` imports {', '.join(found)}. Import it where it is used, or with `lazily` of "
        "chatd/kit/lazily.py."
    )
