"""A reverse proxy as people put one in front of chatd: it serves it below a path, and tunnels WebSockets."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

HOST = "127.0.0.1"
CHUNK_BYTES = 64 * 1024
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Proxy(ThreadingTCPServer):
    """Serves port `behind` below `prefix`. `strips`: what is behind does not see the prefix."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int, prefix: str, behind: int, *, strips: bool) -> None:
        super().__init__((HOST, port), _Connection)
        self.prefix = prefix.encode()
        self.behind = behind
        self.strips = strips


class _Connection(StreamRequestHandler):
    """One request of each connection, so that nothing but its head has to be understood."""

    # What follows the head is passed on as it comes.
    rbufsize = 0
    server: Proxy

    def handle(self) -> None:
        method, path, version = self.rfile.readline().split(b" ", 2)
        headers = list(iter(self.rfile.readline, b"\r\n"))
        if not path.startswith(self.server.prefix + b"/"):
            self.wfile.write(NOT_FOUND)
            return
        path = path.removeprefix(self.server.prefix) if self.server.strips else path
        with socket.create_connection((HOST, self.server.behind)) as behind:
            behind.sendall(b"".join([b" ".join([method, path, version]), *_last_of_connection(headers)]))
            Thread(target=_carry, args=(self.connection, behind), daemon=True).start()
            _carry(behind, self.connection)


def _last_of_connection(headers: list[bytes]) -> list[bytes]:
    """With one that ends the connection, unless it becomes a WebSocket."""
    if not any(line.lower().startswith(b"upgrade:") for line in headers):
        headers = [line for line in headers if not line.lower().startswith(b"connection:")]
        headers.append(b"Connection: close\r\n")
    return [*headers, b"\r\n"]


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK_BYTES):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def listening(proxy: Proxy) -> Iterator[None]:
    with proxy:
        thread = Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield
        finally:
            proxy.shutdown()
            thread.join()
