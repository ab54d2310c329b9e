"""However a call ends, nothing is left of it: no connection, no task, no timer."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import aclosing

import aiohttp
import pytest

from chatd.errors import ProviderError
from chatd.providers.events import StreamEvent, TextDelta
from chatd.providers.http_model import HttpModel
from chatd.providers.transport.http import Pools, Way
from tests.providers.transport.plain import FINISHED, asking, everything, model_at, sse
from tests.providers.transport.server import Exchange, Server, never, saying, serving
from tests.traceability import proves

WAY = Way(provider_id="p1")
MANY = 1000


@pytest.fixture(autouse=True)
def room_for_many_sockets() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3 * MANY)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def speaks_for_ever(exchange: Exchange) -> None:
    if b"briefly" in exchange.asked.body:
        await saying(sse("Yes.", "[END]"))(exchange)
        return
    exchange.begin()
    exchange.say(sse("Well"))
    await never()


async def hears_one_word(model: HttpModel, heard: asyncio.Event) -> None:
    async for _ in model.stream(asking()):
        heard.set()


async def a_moment() -> None:
    """A few turns of the loop, in which what was cancelled ends."""
    for _ in range(5):
        await asyncio.sleep(0)


async def is_as_before(server: Server, pools: Pools, tasks: int) -> None:
    """Nobody is connected, nothing runs, and the next call works."""
    await server.until_no_client_is_connected()
    await a_moment()
    assert len(asyncio.all_tasks()) == tasks
    model = model_at(server.address, pools.post_by(WAY))
    # A connection that had half an answer in it would answer wrongly.
    for _ in range(3):
        assert await everything(model, asking("briefly")) == [TextDelta("Yes."), FINISHED]
    assert server.open == 1


@proves("model-layer", 148)
@pytest.mark.parametrize("count", [50, MANY])
async def test_streams_that_are_cancelled_midway_leave_nothing(count: int) -> None:
    async with serving(speaks_for_ever) as server, Pools(connections_max=count) as pools:
        tasks = len(asyncio.all_tasks())
        model = model_at(server.address, pools.post_by(WAY))
        heard = [asyncio.Event() for _ in range(count)]
        async with asyncio.TaskGroup() as group:
            streams = [group.create_task(hears_one_word(model, event)) for event in heard]
            for event in heard:
                await event.wait()
            assert server.open == count
            for stream in streams:
                stream.cancel()

        await is_as_before(server, pools, tasks)


async def test_streams_that_are_closed_midway_leave_nothing() -> None:
    async with serving(speaks_for_ever) as server, Pools() as pools:
        tasks = len(asyncio.all_tasks())
        model = model_at(server.address, pools.post_by(WAY))
        for _ in range(20):
            async with aclosing(model.stream(asking())) as stream:
                assert await anext(stream) == [TextDelta("Well")]

        await is_as_before(server, pools, tasks)


@pytest.mark.parametrize("turns", range(12))
async def test_a_call_can_be_cancelled_at_any_moment(turns: int) -> None:
    """After so many turns of the loop: while it connects, sends, waits or hears."""
    async with serving(speaks_for_ever) as server, Pools() as pools:
        tasks = len(asyncio.all_tasks())
        model = model_at(server.address, pools.post_by(WAY))
        async with asyncio.TaskGroup() as group:
            stream = group.create_task(hears_one_word(model, asyncio.Event()))
            for _ in range(turns):
                await asyncio.sleep(0)
            stream.cancel()

        # A connection that was being made when the call ended may only now be noticed by the server.
        await is_as_before(server, pools, tasks)


async def test_a_call_is_cancelled_while_a_large_request_is_being_sent() -> None:
    reading_stopped = asyncio.Event()

    class Deaf(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            transport.pause_reading()
            self._transport = transport
            reading_stopped.set()
            gone.append(transport)

    gone: list[asyncio.Transport] = []
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(Deaf, "127.0.0.1", 0)
    address = "http://{}:{}".format(*listening.sockets[0].getsockname())
    async with Pools() as pools:
        tasks = len(asyncio.all_tasks())
        async with asyncio.TaskGroup() as group:
            model = model_at(address, pools.post_by(WAY))
            call = group.create_task(everything(model, asking("long " * 4_000_000)))
            await reading_stopped.wait()
            for _ in range(50):
                await asyncio.sleep(0)
            call.cancel()
        await a_moment()
        assert len(asyncio.all_tasks()) == tasks
    for transport in gone:
        transport.abort()
    listening.close()


@proves("model-layer", 13)
async def test_after_the_third_delta_a_closed_stream_says_nothing_more() -> None:
    async with serving(speaks_in_portions) as server, Pools() as pools:
        heard: list[StreamEvent] = []
        stream = model_at(server.address, pools.post_by(WAY)).stream(asking())
        while len(heard) < 3:
            heard += await anext(stream)
        began = asyncio.get_running_loop().time()
        await stream.aclose()
        await server.until_no_client_is_connected()

        assert asyncio.get_running_loop().time() - began < 0.1
        assert heard == [TextDelta("one"), TextDelta("two"), TextDelta("three")]
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def speaks_in_portions(exchange: Exchange) -> None:
    exchange.begin()
    for word in ("one", "two", "three"):
        exchange.say(sse(word))
        await asyncio.sleep(0)
    await never()


@proves("loop", 10)
async def test_a_failure_of_the_reader_ends_the_call() -> None:
    async with serving(speaks_for_ever) as server, Pools() as pools:
        tasks = len(asyncio.all_tasks())

        async def listen() -> None:
            async with aclosing(model_at(server.address, pools.post_by(WAY)).stream(asking())) as stream:
                async for _ in stream:
                    raise LookupError("nobody knows this word")

        with pytest.raises(LookupError):
            await listen()
        await is_as_before(server, pools, tasks)


@proves("model-layer", 153)
async def test_two_hundred_calls_share_a_connection() -> None:
    async with serving(saying(sse("[BEGIN]"), sse("[END]"))) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY))
        for _ in range(200):
            await everything(model)

        assert len(server.asked) == 200
        assert server.opened == 1


async def test_a_server_that_does_not_hang_up_costs_its_connection_and_no_wait() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(sse("Yes.", "[END]"))
        await never()

    async with serving(script) as server, Pools() as pools:
        began = asyncio.get_running_loop().time()
        assert await everything(model_at(server.address, pools.post_by(WAY))) == [TextDelta("Yes."), FINISHED]

        assert asyncio.get_running_loop().time() - began < 5
        await server.until_no_client_is_connected()


async def test_other_settings_mean_other_connections_and_old_streams_go_on() -> None:
    go_on = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(sse("first"))
        if exchange.number == 1:
            await go_on.wait()
        exchange.say(sse("[END]"))
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        before = model_at(server.address, pools.post_by(WAY)).stream(asking())
        assert await anext(before) == [TextDelta("first")]

        # Through a proxy, which here is the server itself.
        after = model_at(server.address, pools.post_by(Way(provider_id="p1", proxy=server.address)))
        await everything(after)
        assert (server.opened, server.asked[1].path.startswith("http://")) == (2, True)

        go_on.set()
        assert [events async for events in before] == [[FINISHED]]
        # Its pool is the old one, and closes with the next occasion.
        await pools.forget("p2")
        await server.until(lambda: server.open == 1)


async def test_a_way_is_not_closed_by_another_one_before_its_first_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_close = asyncio.Event()
    close = aiohttp.ClientSession.close

    async def slowly(session: aiohttp.ClientSession) -> None:
        await may_close.wait()
        await close(session)

    async with serving(saying(sse("Yes."), sse("[END]"))) as server, Pools() as pools:
        ways = [Way(provider_id="p1", proxy=f"{server.address}/{name}") for name in ("a", "b", "c")]
        first, second, third = (model_at(server.address, pools.post_by(way)) for way in ways)
        await everything(first)
        monkeypatch.setattr(aiohttp.ClientSession, "close", slowly)
        async with asyncio.TaskGroup() as group:
            # The second waits until the first is closed; meanwhile the third comes.
            waiting = group.create_task(everything(second))
            await a_moment()
            group.create_task(everything(third))
            await a_moment()
            may_close.set()

        assert waiting.result() == [TextDelta("Yes."), FINISHED]


async def test_closing_the_pools_ends_calls_that_are_still_read() -> None:
    async with serving(speaks_for_ever) as server, Pools() as pools:
        stream = model_at(server.address, pools.post_by(WAY)).stream(asking())
        await anext(stream)
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(_failure_of(anext(stream)))
            await asyncio.sleep(0)
            await pools.close()

        assert isinstance(listening.result(), ProviderError)
        await server.until_no_client_is_connected()


async def _failure_of(waiting: object) -> Exception | None:
    try:
        await waiting  # type: ignore[misc]  # anext() of an async generator
    except ProviderError as error:
        return error
    return None
