"""Schemathesis asks a real server for everything that its description offers, and much that it does not.

A fixed number of requests, drawn the same way each time, with the administrator's token: nothing breaks, no
status is undocumented, and no answer differs from its schema.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import Phase, settings
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.transport.requests import REQUESTS_TRANSPORT

from chatd.api.openapi.document import document
from chatd.api.routes import STREAMS
from tests.cli.program import READY, environment_for

# Only ever waited for when something is broken.
PATIENCE_SECONDS = 30
# For each of about forty operations. What a case cannot be made for is skipped, so it is a bound.
EXAMPLES = 20

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

schema = schemathesis.openapi.from_dict(json.loads(document()))
# A stream does not end; tests/api/chats/streams/test_stream.py is about them.
finite = schema.exclude(path=[stream.path for stream in STREAMS])


@REQUESTS_TRANSPORT.serializer("application/pdf")
def as_it_is(_: schemathesis.SerializationContext, value: object) -> dict[str, object]:
    """Schemathesis knows how to send the other kinds of files."""
    return {"data": value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")}


class Site:
    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        self._chats: dict[str, str] = {}

    def chat_for(self, operation: str) -> str:
        """One that is busy, with a message that waits. What an operation did to its chat stays with it."""
        if operation not in self._chats or operation.startswith("DELETE"):
            chat_id: str = self._said("/api/v1/chats")["id"]
            self._said(f"/api/v1/chats/{chat_id}/messages")
            self._chats[operation] = chat_id
        return self._chats[operation]

    def _said(self, path: str) -> Any:
        words = {"content": [{"type": "text", "text": "wait 3600"}]}
        answer = self.session.post(self.address + path, json=words, timeout=PATIENCE_SECONDS)
        answer.raise_for_status()
        return answer.json()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Nothing drives its chats, so that nothing calls a provider that an example has made up."""
    home = tmp_path_factory.mktemp("fuzzed")
    no_limits = {"CHATD_REQUESTS_PER_MINUTE": "0", "CHATD_UPLOADS_PER_MINUTE": "0"}
    command = [sys.executable, "-m", "chatd", "serve", "--port", "0", "--data-dir", "data", "--no-worker"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=home,
        env=environment_for(home, no_limits),
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().removeprefix(READY).strip()
            site = Site(address, (home / "data" / "admin-token").read_text().strip())
            with site.session:
                yield site
        finally:
            process.terminate()


@finite.parametrize()
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate])
def test_every_answer_is_as_described(case: schemathesis.Case[Any], site: Site) -> None:
    # Half of the examples are about a chat that exists.
    if len(str(case.path_parameters.get("chat_id", ""))) % 2:
        case.path_parameters["chat_id"] = site.chat_for(case.operation.label)
    response = case.call(base_url=site.address, session=site.session, timeout=PATIENCE_SECONDS)
    case.validate_response(response, checks=CHECKS)
