"""Which addresses this machine calls for others: those of the internet, unless the operator allows all.

A user, a model or a server that names an address must not have this machine call what only this machine can
reach. What counts is the address that a connection is made to: a name may lead elsewhere a moment later.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from chatd.kit.outbound.public_address import is_public

# A host and a port to numeric addresses. Raises OSError.
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]

RESOLVE_SECONDS = 5.0
# Of one name. Each is looked at.
ADDRESSES_MAX = 16


class HostNotFound(OSError):
    """The name of a host leads to no address."""


class PrivateAddress(OSError):
    """A host is on this machine or in a private network, and may not be called."""


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
        self._resolve = resolve
        self._may_call = may_call

    def may_call(self, address: str) -> bool:
        return self.private_hosts or self._may_call(address)

    async def resolve(self, host: str, port: int) -> list[str]:
        """The addresses of a host, which may be any. Raises HostNotFound."""
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                found = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:  # A timeout is an OSError.
            raise HostNotFound(host) from error
        if not found:
            raise HostNotFound(host)
        return list(dict.fromkeys(found))[:ADDRESSES_MAX]

    async def callable_addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host, of which each may be called. Raises HostNotFound and PrivateAddress."""
        addresses = await self.resolve(host, port)
        if not all(map(self.may_call, addresses)):
            raise PrivateAddress(host)
        return addresses
