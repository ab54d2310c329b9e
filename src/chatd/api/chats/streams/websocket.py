"""Telling over WebSocket: text frames, each an array of events.

A browser cannot set headers on a WebSocket: beside the subprotocol `chatd` it may offer its token as
`chatd.token.TOKEN`, or the code of a public link as `chatd.guest.CODE`. Never in the address: addresses end
up in logs.
"""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.api.chats.streams.frames import text_frames
from chatd.api.chats.streams.stream import Batches
from chatd.api.chats.streams.talk import Talk, quietly
from chatd.live.events import Batch

SUBPROTOCOL = "chatd"
# What comes before a token and before the code of a public link, and the header that stands for it.
SHOWN: Mapping[str, str] = {"chatd.token.": "Bearer", "chatd.guest.": "Guest"}


async def over_websocket(talk: Talk, batches: Batches) -> None:
    async def tell(batch: Batch) -> None:
        for frame in text_frames(batch):
            await talk.send({"type": "websocket.send", "text": frame})

    offered = talk.scope.get("subprotocols", [])
    # Never one of theirs: it may be the token or the code.
    chosen = SUBPROTOCOL if SUBPROTOCOL in offered else None
    accept = {"type": "websocket.accept", "subprotocol": chosen, "headers": list(talk.headers)}
    await talk.send(accept)
    code = await talk.through(batches, tell)
    if not talk.bell.over or talk.server.live.streams.ended or talk.heard.is_too_much:
        await quietly(talk.send({"type": "websocket.close", "code": code}))


def with_shown(scope: Scope, headers: Headers) -> Headers:
    """The headers, with the token or the code that a browser offers as a subprotocol. The first counts."""
    if "authorization" in headers:
        return headers
    for offered in scope.get("subprotocols", []):
        for prefix, scheme in SHOWN.items():
            if offered.startswith(prefix):
                shown = f"{scheme} {offered.removeprefix(prefix)}".encode("latin-1", "replace")
                return Headers(raw=[*headers.raw, (b"authorization", shown)])
    return headers
