"""A provider that always says the same: the answers of `_streams.py`, over plain HTTP.

The first parts of the path say what is wanted: /DIALECT/DELTAS/RATE, with a rate of 0 for everything at once.
Each delta is a chunk of its own, as providers flush them.
"""

import asyncio
from typing import cast

import uvloop

from bench._streams import STREAMS

HOST = "127.0.0.1"
# How much is given to the system in one go when nobody paces it.
BURST_BYTES = 64 * 1024


class Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._received = b""
        self._going: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's own are no such class, but do as such.
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as it is called
        if self._going is not None:
            self._going.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, whole, body = self._received.partition(b"\r\n\r\n")
        if not whole or not _is_complete(head, body):
            return
        self._received = b""
        path = head.split(b" ", 2)[1].decode()
        _, name, deltas, rate, *_ = path.split("/")
        self._going = asyncio.get_running_loop().create_task(self._answer(name, int(deltas), float(rate)))

    async def _answer(self, name: str, deltas: int, rate: float) -> None:
        stream = STREAMS[name]
        write = self._transport.write
        head = (
            "HTTP/1.1 200 OK",
            f"Content-Type: {stream.content_type}",
            "Transfer-Encoding: chunked",
            "",
            "",
        )
        write("\r\n".join(head).encode())
        chunks = _chunks(name, deltas)
        if rate:
            loop = asyncio.get_running_loop()
            due = loop.time()
            for chunk in chunks:
                write(chunk)
                due += 1 / rate
                await asyncio.sleep(max(0.0, due - loop.time()))
        else:
            everything = b"".join(chunks)
            for start in range(0, len(everything), BURST_BYTES):
                write(everything[start : start + BURST_BYTES])
        write(b"0\r\n\r\n")


_written: dict[tuple[str, int], list[bytes]] = {}


def _chunks(name: str, deltas: int) -> list[bytes]:
    key = (name, deltas)
    if key not in _written:
        _written[key] = [b"%x\r\n%b\r\n" % (len(each), each) for each in STREAMS[name].chunks(deltas)]
    return _written[key]


def _is_complete(head: bytes, body: bytes) -> bool:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
        if line.startswith(b"transfer-encoding:"):
            return body.endswith(b"0\r\n\r\n")
    return True


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Connection, HOST, 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    print(f"replay ready at http://{HOST}:{port}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
