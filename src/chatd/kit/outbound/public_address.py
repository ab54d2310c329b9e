"""Which addresses of the internet are public: a server that calls what a user names must call no others.

What counts is the address that a connection is made to, not the name in a URL: a name may lead anywhere, and
elsewhere a moment later.
"""

import ipaddress
from typing import TypeAlias

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

# A gateway sends these on to the IPv4 address in their last four bytes.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# The same, of networks that choose it themselves.
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
# Of providers, between them and their customers; and of protocols, on the way.
_IN_BETWEEN = (ipaddress.IPv4Network("100.64.0.0/10"), ipaddress.IPv4Network("192.0.0.0/24"))
# It looks like one of the internet, and on every machine of Azure it is the host below, which tells that
# machine about itself and gives it its certificates.
_OF_A_HOST = ipaddress.IPv4Network("168.63.129.16/32")
# Of relays between IPv4 and IPv6: whichever is nearest, in whatever network.
_RELAYS = ipaddress.IPv4Network("192.88.99.0/24")


def is_numeric(host: str) -> bool:
    """Whether this is an address itself, and no name of one."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_public(text: str) -> bool:
    """Whether this numeric address can be anywhere on the internet. False for what is no such address."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return all(_is_public(each) for each in (address, *_inside(address)))


def _is_public(address: _Address) -> bool:
    is_special = (
        any(address in network for network in (*_IN_BETWEEN, _OF_A_HOST, _RELAYS, _LOCAL_NAT64))
        or (isinstance(address, ipaddress.IPv6Address) and address.is_site_local)
        or address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
    )
    # Unused addresses lead nowhere today; those of NAT64 are reserved too, and lead to what is inside.
    return not is_special and (not address.is_reserved or address in _NAT64)


def _inside(address: _Address) -> list[ipaddress.IPv4Address]:
    """Addresses of IPv4 that this one may lead to."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    return [each for each in found if each is not None]
