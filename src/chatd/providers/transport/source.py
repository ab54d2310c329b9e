"""The seam between answers and the network that brings them, and how long we wait for them."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

# Until the first byte of an answer that begins before the model does: signing, connecting and sending.
FIRST_BYTE_SECONDS = 60.0
# Between two bytes, if the provider's settings say nothing else. Pings and comments are bytes.
SILENCE_SECONDS = 300.0
TOTAL_SECONDS = 3600.0
# For what follows the end of the answer. Waiting longer costs more than a new connection does.
LEFTOVER_SECONDS = 0.2


class Source(Protocol):
    """An answer whose status and headers are there already. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]

    async def read(self) -> bytes:
        """What has come since; empty at the end. Raises what `failures.from_exception` understands."""
        ...

    def fail(self, error: Exception) -> None:
        """The current or next `read` raises this error."""
        ...

    def close(self) -> None:
        """Let go of it. Unless it was read to its end, the connection is dropped."""
        ...


class Post(Protocol):
    async def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Source:
        """Send it, once. Raises what `failures.from_exception` understands."""
        ...


class Limits(Struct, frozen=True, kw_only=True):
    first_byte_seconds: float = FIRST_BYTE_SECONDS
    silence_seconds: float = SILENCE_SECONDS
    total_seconds: float = TOTAL_SECONDS
