"""Why there was no answer, or only a part of one, in words for the administrator of the provider (pure)."""

import errno
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from chatd.kit.lazily import lazily

if TYPE_CHECKING:
    import aiohttp
else:
    aiohttp = lazily("aiohttp")

# How often one error may stand behind another.
CAUSES_MAX = 8

TRUST_ANOTHER = "The provider's setting ca_file names a file with the certificate of its issuer."
_INSECURE = "No secure connection could be made. Check whether its address should begin with https or http."
_UNRESOLVED = "Its name could not be resolved. Check the address, and the network of the server."
_CLOSED = "It closed the connection."


@cache
def _words() -> Sequence[tuple[tuple[type[Exception], ...], str]]:
    """The first row that fits an error, or one of those behind it, says what happened."""
    return (
        (
            (aiohttp.ClientHttpProxyError,),
            "The proxy did not let the call through. Check the proxy's settings.",
        ),
        ((aiohttp.ClientProxyConnectionError,), "The proxy could not be reached. Check its address."),
        ((aiohttp.ClientSSLError, ssl.SSLError), _INSECURE),
        ((aiohttp.ClientConnectorDNSError, socket.gaierror), _UNRESOLVED),
        ((ConnectionRefusedError,), "The connection was refused: nothing listens at its address."),
        ((aiohttp.ConnectionTimeoutError,), "No connection could be made in time."),
        ((TimeoutError,), "No answer came in time."),
        ((ConnectionResetError, ConnectionAbortedError, BrokenPipeError), _CLOSED),
        ((aiohttp.ServerDisconnectedError,), _CLOSED),
        ((aiohttp.ClientPayloadError,), "The answer broke off, or was damaged on its way."),
        ((aiohttp.ClientResponseError,), "What answers at its address does not speak HTTP."),
    )


# What the system has no type of its own for.
_BY_NUMBER: Mapping[int, str] = {
    errno.EHOSTUNREACH: "Its host cannot be reached from the server.",
    errno.ENETUNREACH: "Its network cannot be reached from the server.",
    errno.EMFILE: "The server has too many files and connections open.",
}
_BY_PHASE: Mapping[str, str] = {
    "connect": "No connection could be made.",
    "headers": "The connection broke before the answer began.",
    "stream": "The connection broke in the middle of the answer.",
}


def is_untrusted(error: Exception) -> bool:
    untrusted = (aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError)
    return any(isinstance(each, untrusted) for each in _chain(error))


def explained(error: Exception, phase: str) -> str:
    """What happened. The technical name comes last, and only where we have no words of our own."""
    chain = list(_chain(error))
    for types, words in _words():
        if any(isinstance(each, types) for each in chain):
            return words
    for each in chain:
        if isinstance(each, OSError) and (known := _BY_NUMBER.get(each.errno or 0)):
            return known
    words = f"{_BY_PHASE[phase]} {type(error).__name__}"
    # aiohttp's own words name the host, and members read this.
    said = error.strerror if isinstance(error, aiohttp.ClientConnectorError) else str(error)
    return f"{words}: {said}" if said else words


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and those behind it."""
    for _ in range(CAUSES_MAX):
        if error is None:
            return
        yield error
        error = error.__cause__
