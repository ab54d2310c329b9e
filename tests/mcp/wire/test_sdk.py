"""What we rely on of the official package, and what we keep it from."""

import logging
import subprocess
import sys

from chatd.mcp.wire.client import QUIET
from tests.mcp.running import Way, a_bench, running

LAZY = """
import sys, {module}
loaded = sorted(name for name in ("mcp", "mcp_types", "httpx2", "pydantic") if name in sys.modules)
sys.exit(f"imported {{loaded}}" if loaded else 0)
"""


def test_the_server_and_the_command_line_start_without_the_package() -> None:
    for module in ("chatd.app.serve", "chatd.cli.main", "chatd.mcp.connections.connections"):
        done = subprocess.run(
            [sys.executable, "-c", LAZY.format(module=module)], capture_output=True, check=False
        )
        assert done.stderr == b"", module


async def test_the_package_logs_nothing_of_what_servers_send() -> None:
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        await bench.offered()

    for name in QUIET:
        assert not logging.getLogger(f"{name}.anything").isEnabledFor(logging.CRITICAL)
