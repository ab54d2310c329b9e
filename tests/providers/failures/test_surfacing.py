"""How a failure comes out of a model that is behind a real socket."""

import asyncio
import errno

import pytest
from aiohttp import ClientConnectorError
from aiohttp.client_reqrep import ConnectionKey

from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.events import StreamEvent, TextDelta
from chatd.providers.transport.http import Pools, Way
from tests.providers.transport.plain import everything, model_at, sse
from tests.providers.transport.server import Exchange, Script, never, serving
from tests.traceability import proves

WAY = Way(provider_id="p1")
TEN = [str(n) for n in range(10)]


async def failure_of(script: Script, heard: list[StreamEvent] | None = None) -> ProviderError:
    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY)), heard=heard)
        return failed.value


@proves("model-layer", 147)
async def test_what_came_before_a_failure_has_been_delivered_and_nothing_follows_it() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(sse(*TEN) + b"event: error\ndata: overloaded_error\n\n" + sse("late"))
        exchange.end()

    heard: list[StreamEvent] = []
    error = await failure_of(script, heard)

    assert heard == [TextDelta(word) for word in TEN]
    assert (error.fault, error.provider, error.detail) == ("overloaded", "plain", "It failed.")
    assert error.message == "The provider plain is overloaded at the moment."


@proves("model-layer", 147)
async def test_a_failure_of_the_connection_says_how_far_it_had_come() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(sse(*TEN))
        exchange.drop()

    heard: list[StreamEvent] = []
    error = await failure_of(script, heard)

    assert heard == [TextDelta(word) for word in TEN]
    assert (error.fault, error.retryable) == ("transport", True)
    assert error.detail == "The answer broke off, or was damaged on its way."


async def test_a_server_that_is_not_there_is_named() -> None:
    async with serving(lambda _: never()) as server:
        address = server.address
    async with Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(address, pools.post_by(WAY)))

    assert (failed.value.fault, failed.value.retryable) == ("transport", True)
    assert failed.value.detail == "The connection was refused: nothing listens at its address."
    assert failed.value.__cause__ is not None


@proves("errors", 11)
@proves("model-layer", 144)
async def test_a_caller_that_cancels_gets_a_cancellation_and_no_failure() -> None:
    heard: list[StreamEvent] = []

    async def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(sse("Hello"))
        await never()

    async with serving(script) as server, Pools() as pools:
        listening = asyncio.Event()
        model = model_at(server.address, pools.post_by(WAY))
        call = asyncio.ensure_future(everything(model, heard=heard, on_hearing=listening.set))
        await listening.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    assert heard == [TextDelta("Hello")]


@proves("errors", 25)
async def test_the_words_of_an_error_may_come_in_pieces() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(429, "application/json", Retry_After_Ms="1500", X_Request_Id="req_1")
        for piece in (b'{"error":{"mess', b'age":"Slow ', b'down."}}'):
            exchange.say(piece)
        exchange.end()

    error = await failure_of(script)

    assert (error.kind, error.status_code, error.detail) == ("rate_limit", 429, "Slow down.")
    assert (error.retry_after_seconds, error.request_id) == (1.5, "req_1")


async def test_an_error_that_is_too_long_to_be_read_still_says_what_it_is() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(400, "application/json")
        exchange.say(b'{"error":{"code":"context_length_exceeded","message":"' + b"x" * 200_000 + b'"}}')
        exchange.end()

    error = await failure_of(script)

    assert (error.kind, error.detail) == ("context_too_large", None)


def test_why_no_connection_was_made_does_not_name_the_host() -> None:
    key = ConnectionKey(
        "inner.acme.example", 443, is_ssl=True, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None
    )
    error = ClientConnectorError(key, OSError(errno.EPROTO, "Protocol error"))

    detail = failures.from_exception(error, phase="connect", provider="acme").detail

    assert detail == "No connection could be made. ClientConnectorError: Protocol error"
