"""`chatd serve` as a process, for a browser: started, killed, and started again at the same address."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from chatd.api.page.built import read_page
from tests.cli.program import READY, chatd, environment_for

SIGN_IN = "/sign-in#"
# How many requests, uploads and imports there are in a minute depends on how fast the machine is.
NO_LIMIT = {"CHATD_REQUESTS_PER_MINUTE": "0", "CHATD_UPLOADS_PER_MINUTE": "0"}


class Server:
    """Its data is in `home/data`, its workspace in `home/workspace`, and its log in `home/log`."""

    def __init__(
        self,
        home: Path,
        *,
        public_url: str | None = None,
        more: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> None:
        self.home = home
        self.workspace = home / "workspace"
        self.workspace.mkdir()
        self._more = NO_LIMIT | ({"CHATD_PUBLIC_URL": public_url} if public_url else {}) | dict(more or {})
        self._public_url = public_url
        self.port = port or free_port()
        self._process: subprocess.Popen[str] | None = None
        self.link = self.start()

    @property
    def address(self) -> str:
        """Where browsers find it."""
        return self._public_url or self._local_address

    @property
    def _local_address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> str:
        """Returns the link that it prints."""
        assert self._process is None
        command = [sys.executable, "-m", "chatd", "serve", "--port", str(self.port), "--data-dir", "data"]
        with (self.home / "log").open("a") as log:
            self._process = subprocess.Popen(
                [*command, "--workspace", "workspace"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self.home,
                env=environment_for(self.home, self._more),
            )
        assert self._process.stdout is not None
        # Of a server that cannot start both are empty, and its log says why.
        lines = [self._process.stdout.readline() for _ in range(2)]
        if not (lines[0].startswith(READY) and SIGN_IN in lines[1]):
            self.kill()
            raise AssertionError((self.home / "log").read_text())
        return lines[1].split()[-1]

    def kill(self) -> None:
        """As a machine that loses its power would."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()
        self._process = None

    def new_link(self) -> str:
        return chatd(self.home, "link", "--data-dir", "data", more=self._more).stdout.strip()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """A request of a program, with the administrator's token."""
        token = (self.home / "data" / "admin-token").read_text().strip()
        request = Request(  # noqa: S310 - our own server
            f"{self._local_address}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}"},
        )
        with urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
            data = answer.read()
        return json.loads(data) if data else None

    def start_chat(self, script: str, **fields: object) -> str:
        body = {"content": [{"type": "text", "text": script}], **fields}
        return str(self.ask("POST", "/chats", body)["id"])


@contextmanager
def serving(
    home: Path,
    *,
    public_url: str | None = None,
    more: Mapping[str, str] | None = None,
    port: int | None = None,
) -> Iterator[Server]:
    """A server with the built page, and more settings. Without the page, the test is skipped."""
    if read_page() is None:
        pytest.skip("the web page is not built: run `make page`, which needs Node.js 20")
    server = Server(home, public_url=public_url, more=more, port=port)
    try:
        yield server
    finally:
        server.kill()


def free_port() -> int:
    """It stays the server's own over a restart: what is chosen here is not given to others for a while."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
