"""Names that others choose are looked up in threads of their own.

A name server that never answers holds a thread for as long as the system waits, half a minute or so. The
threads of the event loop, in which providers are looked up, must not be the ones that wait.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

THREADS = 4

# As that of `socket`.
GetAddrInfo = Callable[..., Sequence[tuple[Any, Any, Any, Any, tuple[Any, ...]]]]


class Lookups:
    """A `Resolve`. Look-ups beyond the threads wait for their turn, for as long as their callers do."""

    def __init__(self, look_up: GetAddrInfo = socket.getaddrinfo) -> None:
        self._look_up = look_up
        # No thread is started before it is needed.
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="look-up")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Raises OSError and UnicodeError."""
        look_up = partial(self._look_up, host, port, type=socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(self._threads, look_up)
        return [str(address[0]) for *_, address in found]
