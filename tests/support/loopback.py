"""No test calls anything but this machine: a connection that would leave it fails where it is made."""

import ipaddress
import socket
import sys
from typing import Any

_INTERNET = frozenset({socket.AF_INET, socket.AF_INET6})


def stay_on_loopback() -> None:
    """For the rest of this process. Names are looked up as ever: to be unknown is part of some tests."""
    sys.addaudithook(_refuse)


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    if event != "socket.connect":
        return
    sock, address = args
    if sock.family in _INTERNET and not _is_near(address[0]):
        # No OSError: a test that expects a failure would take it for one.
        raise AssertionError(f"A test calls {address[0]}, and may call nothing but this machine")


def _is_near(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"
