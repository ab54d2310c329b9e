"""Large answers, sent as fast as they are taken.

uvicorn hands an answer to the connection whole, and its request is over before anything of it was read.
In pieces the request lasts until almost all of it was taken, and what it holds can be counted.
"""

from collections.abc import AsyncIterator, Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatd.api.serving.limits.admission import Hold

PIECE_BYTES = 256 * 1024


class InPieces(Response):
    def __init__(self, whole: Response, *, hold: Hold) -> None:
        """`hold` has counted the data, and is given back when all of it was sent."""
        super().__init__(whole.body, whole.status_code)
        self.raw_headers = whole.raw_headers
        self._hold = hold

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        with self._hold:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            for start in range(0, len(self.body), PIECE_BYTES):
                piece = self.body[start : start + PIECE_BYTES]
                more = start + PIECE_BYTES < len(self.body)
                await send({"type": "http.response.body", "body": piece, "more_body": more})


class AsMade(Response):
    """An answer of any length, made while it is sent. What fails then ends the connection."""

    def __init__(
        self, pieces: AsyncIterator[bytes], status: int, headers: Mapping[str, str], media_type: str
    ) -> None:
        super().__init__(None, status, headers, media_type)
        # Its length is not known.
        del self.headers["content-length"]
        self._pieces = pieces

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
