"""Networks that the settings name, and whether an address is in one of them (pure)."""

import ipaddress
from collections.abc import Iterable
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
# The part of an IPv6 address that a provider gives to one customer.
IPV6_NETWORK_BITS = 64

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


def network_of(address: str) -> str:
    """Whose requests are counted together: an address, or the network of an IPv6 address."""
    found = address_in(address)
    if found is None or isinstance(found, ipaddress.IPv4Address):
        return str(found or address)
    return str(ipaddress.ip_network((found, IPV6_NETWORK_BITS), strict=False))


def is_in(address: Address | None, networks: Iterable[Network]) -> bool:
    return address is not None and any(address in network for network in networks)
