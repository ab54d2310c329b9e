"""Whoever taps a call hears what was sent and what came back; the call does not notice."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from chatd.errors import ProviderError
from chatd.providers.credentials.secret import Secret
from chatd.providers.credentials.signing import Key
from chatd.providers.transport.http import Pools, Way
from chatd.providers.transport.source import Limits
from chatd.providers.transport.tap import Exchange, Sending
from tests.providers.transport.plain import FINISHED, asking, everything, model_at, sse
from tests.providers.transport.server import Exchange as Served
from tests.providers.transport.server import never, saying, serving

WAY = Way(provider_id="p1")
KEY = Key("x-api-key", Secret("a-key-that-opens-nothing"))


class Listener:
    """A `Tap` with one `Exchange`, which writes down what it hears."""

    def __init__(self) -> None:
        self.sendings: list[Sending] = []
        self.heard: list[object] = []

    def sent(self, sending: Sending) -> Exchange:
        self.sendings.append(sending)
        return self

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        self.heard.append((status, headers["content-type"]))

    def came(self, data: bytes) -> None:
        self.heard.append(data)

    def ended(self, error: BaseException | None = None) -> None:
        self.heard.append(type(error).__name__)


async def test_a_tap_hears_what_goes_over_the_wire() -> None:
    said = sse("Sunday", "[END]")
    tap = Listener()
    async with serving(saying(said)) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY), credentials=KEY)
        plain = await everything(model)
        tapped = await everything(model, replace(asking(), tap=tap))

        assert tapped == plain
        assert server.asked[0].body == server.asked[1].body
        (sending,) = tap.sendings
        assert (sending.method, sending.url, sending.body) == (
            "POST",
            f"{server.address}/chat/completions",
            server.asked[1].body,
        )
        assert sending.headers["x-api-key"] == "a-key-that-opens-nothing"
        assert sending.keys == ("a-key-that-opens-nothing",)
    first, *portions, end = tap.heard
    assert first == (200, "text/event-stream")
    assert b"".join(portion for portion in portions if isinstance(portion, bytes)) == said
    assert end == "NoneType"


async def test_a_tap_hears_why_there_was_no_answer() -> None:
    tap = Listener()
    async with Pools() as pools:
        with pytest.raises(ProviderError):
            await everything(model_at("http://127.0.0.1:1", pools.post_by(WAY)), replace(asking(), tap=tap))

    assert tap.heard == ["ClientConnectorError"]


async def test_a_tap_hears_what_an_error_says() -> None:
    async def script(exchange: Served) -> None:
        exchange.begin(429, "application/json")
        exchange.say(b'{"error":"slowly"}')
        exchange.end()

    tap = Listener()
    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError):
            await everything(model_at(server.address, pools.post_by(WAY)), replace(asking(), tap=tap))

    assert tap.heard[0] == (429, "application/json")
    assert b'{"error":"slowly"}' in tap.heard


async def speaks_and_falls_silent(exchange: Served) -> None:
    exchange.begin()
    exchange.say(sse("Sunday"))
    await never()


async def test_a_tap_hears_that_our_patience_was_at_its_end() -> None:
    tap = Listener()
    limits = Limits(silence_seconds=0.05)
    async with serving(speaks_and_falls_silent) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY), limits=limits)
        with pytest.raises(ProviderError):
            await everything(model, replace(asking(), tap=tap))

    # It is told first why, and then that the connection was let go of.
    assert tap.heard[-2:] == ["ProviderError", "NoneType"]


async def test_a_tap_hears_that_the_call_was_left() -> None:
    tap = Listener()
    async with serving(speaks_and_falls_silent) as server, Pools() as pools:
        stream = model_at(server.address, pools.post_by(WAY)).stream(replace(asking(), tap=tap))
        assert FINISHED not in await anext(stream)
        await stream.aclose()

    assert tap.heard[-1] == "NoneType"
