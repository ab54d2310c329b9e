import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from chatd.accounts.ways_in.declared import Oidc
from chatd.accounts.ways_in.oidc.flow import OidcFlow
from chatd.accounts.ways_in.oidc.provider import Provider
from chatd.kit.outbound.exchange import Exchange
from chatd.kit.outbound.reach import Reach
from tests.accounts.ways_in.oidc.hostile import CLIENT_ID, HostileProvider, hostile_provider

PUBLIC_URL = "http://127.0.0.1:8787"
NETWORK = "192.0.2.1"
MakeFlow = Callable[..., OidcFlow]


def flow_at(issuer: str, *, monotonic: Callable[[], float] = time.monotonic, **more: Any) -> OidcFlow:
    way = Oidc(issuer=issuer, client_id=CLIENT_ID, **more)
    provider = Provider(way, Exchange(Reach(private_hosts=False)), monotonic)
    return OidcFlow(provider, client_secret="what the client knows", public_url=PUBLIC_URL)


@pytest.fixture
async def hostile() -> AsyncIterator[HostileProvider]:
    async with hostile_provider() as provider:
        yield provider


@pytest.fixture
def make_flow(hostile: HostileProvider) -> MakeFlow:
    def make(**more: Any) -> OidcFlow:
        return flow_at(hostile.issuer, **more)

    return make
