"""chatd from Python: `AsyncClient` for event loops, `Client` for programs without one; `AsyncGuest` for who
has a public link and no user.

Knows the wire and nothing of the server. An answer may hold more than these shapes name: what a
newer server adds is passed over, so that an older client keeps working.
"""

from typing import TYPE_CHECKING, Any

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError, Unreachable
from chatd.client.guest import AsyncGuest

if TYPE_CHECKING:
    from chatd.client.synchronous import Client

__all__ = ["ApiError", "AsyncClient", "AsyncGuest", "Client", "Unreachable"]


def __getattr__(name: str) -> Any:
    """Imported when it is asked for: programs with an event loop do not need it."""
    if name != "Client":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from chatd.client.synchronous import Client  # noqa: PLC0415

    return Client
