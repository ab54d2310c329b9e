"""chatd from Python: `AsyncClient` for event loops, `Client` for programs without one; `AsyncGuest` for who
has a public link and no user.

Knows the wire and nothing of the server. An answer may hold more than these shapes name: what a
newer server adds is passed over, so that an older client keeps working.
"""

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError, Unreachable
from chatd.client.guest import AsyncGuest
from chatd.client.synchronous import Client

__all__ = ["ApiError", "AsyncClient", "AsyncGuest", "Client", "Unreachable"]
