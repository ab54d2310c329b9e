"""Networks that the settings name, and whether an address is in one of them (pure)."""

import ipaddress
from collections.abc import Iterable
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def network_in(text: str) -> Network:
    """Raises ValueError, in a sentence: for what is no network, and for one that has every address in it."""
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        raise ValueError(
            f"{text!r} is no address and no network: write `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`"
        ) from error
    if network.prefixlen == 0:
        raise ValueError(
            f"{text!r} has every address in it, so that everybody would be believed: name the proxy's own"
        )
    return network


def address_in(text: str) -> Address | None:
    """An IPv4 address that is written as an IPv6 one is the IPv4 address. None for what is no address."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def is_in(address: Address | None, networks: Iterable[Network]) -> bool:
    return address is not None and any(address in network for network in networks)
