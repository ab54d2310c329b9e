from collections.abc import AsyncIterator

import pytest

from tests.tools.web.internet import Internet, an_internet


@pytest.fixture
async def internet() -> AsyncIterator[Internet]:
    async with an_internet() as made:
        yield made
