"""A WebSocket that is opened and left at once, in the same process."""

from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Message


async def opened(
    app: ASGIApp, path: str, token: str | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """How it began: accepted, or answered, then with the whole `body`."""
    sent: list[Message] = []
    incoming: list[Message] = [{"type": "websocket.connect"}]

    async def receive() -> Message:
        return incoming.pop() if incoming else {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "ws",
        "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
        "client": ("127.0.0.1", 1),
        "subprotocols": ["chatd", *([f"chatd.token.{token}"] if token else [])],
        "extensions": {"websocket.http.response": {}},
    }
    await app(scope, receive, send)
    return {**sent[0], "body": b"".join(message.get("body", b"") for message in sent)}
