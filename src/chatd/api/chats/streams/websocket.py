"""Telling over WebSocket: text frames, each an array of events.

A browser cannot set headers on a WebSocket: it may offer its token as the subprotocol
`chatd.token.TOKEN`, beside `chatd`. Never in the address: addresses end up in logs.
"""

from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.api.chats.streams.frames import text_frames
from chatd.api.chats.streams.stream import Batches
from chatd.api.chats.streams.talk import Talk, quietly
from chatd.live.events import Batch

SUBPROTOCOL = "chatd"
TOKEN_PREFIX = "chatd.token."  # noqa: S105 - what comes before a token


async def over_websocket(talk: Talk, batches: Batches) -> None:
    async def tell(batch: Batch) -> None:
        for frame in text_frames(batch):
            await talk.send({"type": "websocket.send", "text": frame})

    offered = talk.scope.get("subprotocols", [])
    # Never one of theirs: it may be the token.
    chosen = SUBPROTOCOL if SUBPROTOCOL in offered else None
    accept = {"type": "websocket.accept", "subprotocol": chosen, "headers": talk.tally.headers}
    await talk.send(accept)
    code = await talk.through(batches, tell)
    if not talk.bell.over or talk.server.live.streams.ended:
        await quietly(talk.send({"type": "websocket.close", "code": code}))


def with_token(scope: Scope, headers: Headers) -> Headers:
    """The headers, with the token that a browser offers as a subprotocol."""
    if "authorization" in headers:
        return headers
    tokens = [each for each in scope.get("subprotocols", []) if each.startswith(TOKEN_PREFIX)]
    if not tokens:
        return headers
    bearer = f"Bearer {tokens[0].removeprefix(TOKEN_PREFIX)}"
    return Headers(raw=[*headers.raw, (b"authorization", bearer.encode("latin-1", "replace"))])
