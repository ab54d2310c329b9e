"""Why a user may not have an address called: told when a server is saved.

It is looked at again for every connection, because a name may lead elsewhere by then.
"""

from urllib.parse import urlsplit

from chatd.catalog.mcp.rules.checks import private_address
from chatd.catalog.rules.checks import Problem
from chatd.kit.outbound.reach import HostNotFound, PrivateAddress, Reach

_PORTS = {"http": 80, "https": 443}


async def problem_of_address(reach: Reach, url: str, field: str) -> Problem | None:
    """Of an address that was checked for its form."""
    if reach.private_hosts:
        return None
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    try:
        await reach.callable_addresses(host, port)
    except HostNotFound:
        return Problem(
            field,
            f"The host {host} in `{field}` cannot be found.",
            "Check how it is spelled.",
            "host_not_found",
        )
    except PrivateAddress:
        return private_address(field)
    return None
