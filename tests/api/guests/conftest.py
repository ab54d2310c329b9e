"""A server with public links."""

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.api.serving.limits.admission import RequestLimits
from chatd.storage.transactions.transact import Store
from tests.api.guests.words import LINKS_ON
from tests.support.catalog_stores import some_catalog_store


@pytest.fixture
def app(store: Store) -> ASGIApp:
    """Whose guests may ask as often as they like; `test_limits.py` is about how often."""
    limits = RequestLimits(guests_per_minute=0)
    return build(store, catalog_store=some_catalog_store(store), policy=LINKS_ON, limits=limits)
