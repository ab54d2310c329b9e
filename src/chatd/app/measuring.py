"""The listener for `/metrics` alone, where the settings name one."""

import asyncio
import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from msgspec import Struct

from chatd.api.serving.connections.server import address_of, bound, serve_http
from chatd.api.serving.operating.measured import measured
from chatd.api.serving.operating.metrics import Metrics
from chatd.api.serving.origins.sites import sites_at
from chatd.errors import Misconfigured
from chatd.settings import Settings

log = structlog.get_logger()

# Where no address is named: who is on this machine may read the numbers.
LOOPBACK = "127.0.0.1"


class MetricsListener(Struct, frozen=True):
    host: str
    socket: socket.socket


@contextmanager
def metrics_listener(settings: Settings) -> Iterator[MetricsListener | None]:
    """A socket with an address of its own, not listening yet; or none, as the settings say."""
    place = metrics_place(settings)
    if place is None:
        yield None
        return
    with bound(*place) as listener:
        yield MetricsListener(place[0], listener)


async def serve_metrics(
    place: MetricsListener | None, metrics: Metrics, settings: Settings, stop: asyncio.Event
) -> None:
    if place is not None:
        sites = sites_at(listen=place.host, public_url=None, allowed_hosts=settings.allowed_hosts)
        address = address_of(place.host, place.socket)
        await serve_http(
            measured(metrics, sites),
            place.socket,
            stop=stop,
            ready=lambda: log.info("metrics.listening", address=address),
        )


def metrics_place(settings: Settings) -> tuple[str, int] | None:
    """Address and port. Raises Misconfigured where other machines would read along, and nobody said so."""
    if settings.metrics_listen is None:
        return None
    host, _, port = settings.metrics_listen.rpartition(":")
    host = host.strip("[]") or LOOPBACK
    if not settings.metrics_public and not _is_loopback(host):
        raise Misconfigured(
            f"`metrics_listen` names {host}, where other machines read the numbers without a token. Use "
            f"{LOOPBACK}:{port}, or set `metrics_public` if only those who may read them reach that address."
        )
    return host, int(port)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # A name may lead anywhere.
