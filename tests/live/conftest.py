import pytest

from chatd.live.live import Live
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock


@pytest.fixture
def live(store: Store, clock: MovedClock) -> Live:
    """Nothing of it runs by itself; tests say when a tick is."""
    return Live(store, clock)
