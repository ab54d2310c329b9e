"""A caller of the API, in the same process: what a test sends is what the application receives."""

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlencode

from msgspec import Struct
from starlette.types import ASGIApp, Message

from chatd.kit.codec import Decoder
from tests.api.described import check_answer

CHATS = "/api/v1/chats"

# It also reads halves of characters, which chatd keeps.
_json: Decoder[Any] = Decoder(object)


class Answer(Struct, frozen=True):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return _json.decode(self.body)

    @property
    def error(self) -> Any:
        """What the envelope says. Every error comes in it, and it holds nothing else."""
        assert self.headers["content-type"] == "application/json"
        assert set(self.json) == {"error"}, self.json
        error = self.json["error"]
        assert {"code", "message"} <= set(error) <= {"code", "message", "field", "hint"}
        return error


class Client:
    def __init__(
        self,
        app: ASGIApp,
        token: str | None = None,
        *,
        address: str = "127.0.0.1",
        is_trusting: bool = False,
    ) -> None:
        self._app = app
        self.token = token
        # Of the peer, as the server sees it.
        self.address = address
        # Holds no answer against what OpenAPI says of it.
        self._is_trusting = is_trusting

    async def get(self, path: str, /, **query: object) -> Answer:
        return await self.ask("GET", path + ("?" + urlencode(query, doseq=True) if query else ""))

    async def post(self, path: str, body: object) -> Answer:
        return await self.ask("POST", path, json.dumps(body).encode())

    async def patch(self, path: str, body: object) -> Answer:
        return await self.ask("PATCH", path, json.dumps(body).encode())

    async def put(self, path: str, body: object = None) -> Answer:
        return await self.ask("PUT", path, *([] if body is None else [json.dumps(body).encode()]))

    async def delete(self, path: str) -> Answer:
        return await self.ask("DELETE", path)

    async def start_chat(self, words: str = "hello", **fields: object) -> Any:
        answer = await self.post(CHATS, {"content": [{"type": "text", "text": words}], **fields})
        assert answer.status == 201, answer.body
        return answer.json

    async def ask(
        self, method: str, url: str, *chunks: bytes, headers: Mapping[str, str | list[str]] | None = None
    ) -> Answer:
        """One request. A body in several chunks announces no length; a list repeats a header."""
        path, _, query = url.partition("?")
        sent: dict[str, str | list[str]] = {
            **({"authorization": f"Bearer {self.token}"} if self.token else {}),
            **(headers or {}),
        }
        if len(chunks) == 1:
            sent.setdefault("content-length", str(len(chunks[0])))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (name.lower().encode(), value.encode("latin-1"))
                for name, values in sent.items()
                for value in ([values] if isinstance(values, str) else values)
            ],
            "client": (self.address, 1),
            "server": ("127.0.0.1", 2),
        }
        return await self._exchange(scope, chunks)

    async def _exchange(self, scope: dict[str, Any], chunks: Sequence[bytes]) -> Answer:
        incoming = [
            {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}
            for number, chunk in enumerate(chunks, 1)
        ] or [{"type": "http.request", "body": b"", "more_body": False}]
        outgoing: list[Message] = []

        async def receive() -> Message:
            return incoming.pop(0) if incoming else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            outgoing.append(message)

        await self._app(scope, receive, send)
        start, *rest = outgoing
        headers = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        answer = Answer(start["status"], headers, b"".join(message.get("body", b"") for message in rest))
        if not self._is_trusting:
            media_type = headers.get("content-type", "")
            whole = gzip.decompress(answer.body) if headers.get("content-encoding") == "gzip" else answer.body
            check_answer(scope["method"], scope["path"], answer.status, media_type, whole)
        return answer
