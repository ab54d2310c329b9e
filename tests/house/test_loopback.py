"""The guard that keeps all tests on this machine."""

import asyncio
import socket

import pytest

from chatd.errors import ProviderError
from chatd.providers.transport.http import Pools, Way
from tests.providers.transport.plain import everything, model_at

# Of documentation: nothing is there, and nothing is asked.
ELSEWHERE = "192.0.2.1"


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, ELSEWHERE), (socket.AF_INET6, "2001:db8::1")])
def test_a_connection_to_another_machine_is_not_even_tried(family: int, host: str) -> None:
    with socket.socket(family) as sock, pytest.raises(AssertionError, match="nothing but this machine"):
        sock.connect((host, 9))


async def test_a_model_elsewhere_is_not_called_by_any_test() -> None:
    async with Pools() as pools:
        model = model_at(f"http://{ELSEWHERE}:9", pools.post_by(Way(provider_id="p1")))
        with pytest.raises((AssertionError, ExceptionGroup)) as refused:
            await everything(model)

    assert not isinstance(refused.value, ProviderError)


async def test_this_machine_may_be_called() -> None:
    async with asyncio.timeout(10):
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            assert await reader.read() == b""
            writer.close()
