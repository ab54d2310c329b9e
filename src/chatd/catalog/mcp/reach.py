"""Which addresses may be called for a user: those of the internet, unless the operator allows all.

A user who names a server, or a server that names others, must not have this machine call what only this
machine can reach. What counts is the address that a connection is made to, so it is looked at when a server
is saved, to tell the user, and again for every connection, because a name may lead elsewhere by then.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

from chatd.catalog.mcp.checks import private_address
from chatd.catalog.rules.checks import Problem
from chatd.kit.public_address import is_public

# A host and a port to numeric addresses. Raises OSError.
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]

RESOLVE_SECONDS = 5.0
_PORTS = {"http": 80, "https": 443}


async def system_resolve(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Reach:
    """`may_call` is what counts as public; a test has its own internet."""

    def __init__(
        self,
        *,
        private_hosts: bool,
        resolve: Resolve = system_resolve,
        may_call: Callable[[str], bool] = is_public,
    ) -> None:
        self.private_hosts = private_hosts
        self.resolve = resolve
        self._may_call = may_call

    def may_call(self, address: str) -> bool:
        return self.private_hosts or self._may_call(address)

    async def problem_of(self, url: str, field: str) -> Problem | None:
        """Why a user may not have this address called; one that was checked for its form."""
        if self.private_hosts:
            return None
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                addresses = await self.resolve(host, port)
        except (OSError, UnicodeError):  # A timeout is an OSError.
            addresses = ()
        if not addresses:
            return Problem(
                field,
                f"The host {host} in `{field}` cannot be found.",
                "Check how it is spelled.",
                "host_not_found",
            )
        return None if all(map(self._may_call, addresses)) else private_address(field)
