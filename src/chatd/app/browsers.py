"""What browsers meet: the web page, under which hosts and path it is, and the link that signs in there."""

import os
import time
from urllib.parse import urlsplit

import structlog

from chatd.accounts.admin import ADMIN
from chatd.accounts.users import user_named
from chatd.accounts.ways_in.oidc import flow
from chatd.accounts.ways_in.oidc.provider import Provider
from chatd.accounts.ways_in.passwords import hashing
from chatd.accounts.ways_in.sign_in_codes import Purpose, link_with, new_code
from chatd.accounts.ways_in.ways import WaysIn
from chatd.api.page.built import BuiltPage, read_page
from chatd.api.serving.origins.sites import Sites, sites_at
from chatd.api.serving.proxies.forwarded import TrustedProxies
from chatd.kit.networks import network_in
from chatd.kit.outbound.exchange import Exchange
from chatd.kit.outbound.lookups import Lookups
from chatd.kit.outbound.reach import Reach
from chatd.settings import Settings
from chatd.storage.database import Database

log = structlog.get_logger()


def built_page() -> BuiltPage | None:
    """The page that was built; where there is none, the log says how to get it."""
    page = read_page()
    if page is None:
        log.info("page.not_built", hint="Only the API is served. For the web page: make page, with Node.js.")
    return page


def path_prefix(settings: Settings) -> str:
    return urlsplit(settings.public_url or "").path.rstrip("/")


def sites_of(settings: Settings) -> Sites:
    sites = sites_at(
        listen=settings.host,
        public_url=settings.public_url,
        allowed_hosts=settings.allowed_hosts,
        cors_origins=settings.cors_origins,
        embed_origins=settings.embed_origins,
        proxies=TrustedProxies(tuple(map(network_in, settings.trusted_proxies))),
    )
    if sites.hosts is None:
        hint = "Set public_url or allowed_hosts, so that pages of others cannot have their names lead here."
        log.warning("hosts.any", host=settings.host, hint=hint)
    return sites


def check_ways_in(settings: Settings) -> None:
    """Raises Misconfigured when something is not installed that they need."""
    if settings.passwords:
        hashing.check_installed()
    if settings.oidc is not None:
        flow.check_installed()
        settings.oidc.secret(os.environ)


def ways_in(settings: Settings, address: str) -> WaysIn:
    """`address` is where browsers find us, unless the settings name another."""
    oidc = None
    if settings.oidc is not None:
        # The administrator has named it, so it may be in a private network.
        exchange = Exchange(Reach(private_hosts=True, resolve=Lookups()))
        oidc = flow.OidcFlow(
            Provider(settings.oidc, exchange, time.monotonic),
            client_secret=settings.oidc.secret(os.environ),
            public_url=settings.public_url or address,
        )
    return WaysIn(passwords=hashing.Passwords() if settings.passwords else None, oidc=oidc)


async def sign_in_link(db: Database, settings: Settings, address: str) -> str | None:
    """A one-time link for the administrator, at the public address if there is one, or at this one."""
    admin = await user_named(db, ADMIN)
    if admin is None:
        return None
    code = await new_code(db, admin.id, Purpose.TERMINAL)
    return link_with(settings.public_url or address, code)
