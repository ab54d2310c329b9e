"""What `transport/http.py` uses within aiohttp. A new version that changes it fails here first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp.client_proto import ResponseHandler

from tests.providers.transport.server import Exchange, Script, never, saying, serving


@asynccontextmanager
async def answer(script: Script) -> AsyncIterator[aiohttp.ClientResponse]:
    async with serving(script) as server, aiohttp.ClientSession() as session:
        response = await session.post(server.address)
        try:
            yield response
        finally:
            response.close()


async def one_piece(exchange: Exchange) -> None:
    exchange.begin()
    exchange.say(b"one")
    await never()


def protocol_of(response: aiohttp.ClientResponse) -> ResponseHandler:
    assert response.connection is not None
    protocol = response.connection.protocol
    assert isinstance(protocol, ResponseHandler)
    return protocol


async def test_an_answer_that_is_being_read_has_a_connection_whose_end_can_be_awaited() -> None:
    async with answer(one_piece) as response:
        closed = protocol_of(response).closed

        assert isinstance(closed, asyncio.Future)
        assert not closed.done()


async def test_a_connection_ends_for_its_protocol_even_after_a_malformed_chunk() -> None:
    may_break = asyncio.Event()

    async def breaking(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(b"one")
        await may_break.wait()
        exchange.raw(b"this is no length\r\n")
        exchange.leave()

    async with answer(breaking) as response:
        assert await response.content.readany() == b"one"
        closed = protocol_of(response).closed
        assert closed is not None

        may_break.set()
        await asyncio.wait({closed})
        # Looked at, or asyncio would log that it was not.
        closed.exception()


async def test_an_answer_that_was_read_to_its_end_has_given_its_connection_back() -> None:
    async with answer(saying(b"one")) as response:
        while await response.content.readany():
            pass

        assert response.connection is None
        assert response.content.is_eof()


async def test_a_reader_that_waits_is_told_the_error_that_is_set() -> None:
    async with answer(one_piece) as response, asyncio.TaskGroup() as group:
        assert await response.content.readany() == b"one"
        assert response.content.exception() is None
        reading = group.create_task(_failure_of(response))
        await asyncio.sleep(0)

        error = aiohttp.ClientPayloadError("given up")
        response.content.set_exception(error)

        assert await reading is error


async def _failure_of(response: aiohttp.ClientResponse) -> Exception:
    with pytest.raises(aiohttp.ClientPayloadError) as caught:
        await response.content.readany()
    return caught.value
