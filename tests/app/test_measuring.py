"""`/metrics` from a listener of its own."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from chatd.api.serving.operating.metrics import Metrics, Reading
from chatd.app.measuring import metrics_listener, metrics_place, serve_metrics
from chatd.errors import Misconfigured
from chatd.settings import Settings


def settings(**more: Any) -> Settings:
    return Settings(data_dir=Path("data"), **more)


@pytest.mark.parametrize(
    ("listen", "expected"),
    [
        ("9464", ("127.0.0.1", 9464)),
        (":9464", ("127.0.0.1", 9464)),
        ("localhost:9464", ("localhost", 9464)),
        ("127.0.0.2:0", ("127.0.0.2", 0)),
        ("[::1]:9464", ("::1", 9464)),
        (None, None),
    ],
)
def test_a_port_alone_is_one_of_this_machine(listen: str | None, expected: tuple[str, int] | None) -> None:
    assert metrics_place(settings(metrics_listen=listen)) == expected


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1", "metrics.example.org"])  # noqa: S104
def test_an_address_that_others_reach_is_refused_unless_the_settings_say_so(host: str) -> None:
    with pytest.raises(
        Misconfigured, match=r"without a token\. Use 127\.0\.0\.1:9464, or set `metrics_public`"
    ):
        metrics_place(settings(metrics_listen=f"{host}:9464"))

    place = metrics_place(settings(metrics_listen=f"{host}:9464", metrics_public=True))
    assert place == (host.strip("[]"), 9464)


async def test_the_numbers_are_told_there_without_a_token_and_nothing_else_is() -> None:
    metrics = Metrics()
    metrics.add(lambda: [Reading(name="things", meaning="Things.", value=3, kind="gauge")])
    wanted, stop = settings(metrics_listen="0"), asyncio.Event()
    with metrics_listener(wanted) as place:
        assert place is not None
        served = asyncio.ensure_future(serve_metrics(place, metrics, wanted, stop))
        await asyncio.sleep(0)  # It listens from its first step on.
        address = f"http://127.0.0.1:{place.socket.getsockname()[1]}"
        async with aiohttp.ClientSession(address) as session:

            async def ask(method: str, path: str, **headers: str) -> tuple[int, str]:
                async with session.request(method, path, headers=headers) as answer:
                    return answer.status, await answer.text()

            status, text = await ask("GET", "/metrics")
            assert status == 200
            assert "chatd_things 3.0" in text
            assert (await ask("GET", "/api/v1/chats"))[0] == 404
            assert (await ask("POST", "/metrics"))[0] == 405
            # A page of others whose name leads to this machine.
            assert (await ask("GET", "/metrics", Host="evil.example"))[0] == 421
        stop.set()
        await served
