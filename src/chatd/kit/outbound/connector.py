"""Connections of aiohttp that are made only to addresses within reach."""

import socket

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from chatd.kit.outbound.reach import PrivateAddress, Reach


class Guard(AbstractResolver):
    """Looks at the address of each connection before it is made, also of one that was given as a number.

    `trusted`: an administrator has named this very host, so it may be a private one.
    """

    def __init__(self, reach: Reach, *, trusted: bool = False) -> None:
        self._reach = reach
        self._trusted = trusted
        # Whether an address was refused. The errors of aiohttp do not tell.
        self.has_refused = False

    def connector(self) -> aiohttp.TCPConnector:
        """For one request: no connection is kept that could be used for another user."""
        return aiohttp.TCPConnector(
            resolver=self, socket_factory=self._socket_to, use_dns_cache=False, force_close=True
        )

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - all are tried
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self._reach.resolve(host, port)
        ]

    async def close(self) -> None:
        pass

    def _socket_to(self, found: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = found
        if not self._trusted and not self._reach.may_call(str(address[0])):
            self.has_refused = True
            raise PrivateAddress(str(address[0]))
        return socket.socket(family, kind, protocol)
