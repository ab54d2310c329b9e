import asyncio

import pytest

from chatd.agent.metrics import RETRIES
from chatd.api.serving.operating.metrics import REMEMBERED_SECONDS, Metrics, Reading, catalog_readings
from chatd.catalog.catalog import open_catalog
from chatd.errors import Unavailable
from chatd.kit.clock import SystemClock
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.support.catalog_stores import some_catalog_store
from tests.support.counted import counting


def lines(metrics: Metrics) -> list[str]:
    text, _ = metrics.written()
    return [line for line in text.decode().splitlines() if line.startswith("chatd_")]


def test_a_source_of_numbers_can_be_added() -> None:
    metrics = Metrics()
    metrics.add(lambda: [Reading(name="knocks", meaning="Knocks.", value=3, labels={"how": 'a"b'})])
    metrics.add(lambda: [Reading(name="viewers", meaning="Viewers.", value=2, kind="gauge")])

    assert {'chatd_knocks_total{how="a\\"b"} 3.0', "chatd_viewers 2.0"} <= set(lines(metrics))


def test_what_is_counted_where_it_happens_is_told_too() -> None:
    RETRIES.labels("some-provider", "some-model", "timeout").inc()

    told = [line for line in lines(Metrics()) if "some-model" in line]

    # And not when it was counted first: that would be a second line for each.
    assert told == [
        'chatd_stream_retries_total{kind="timeout",model="some-model",provider="some-provider"} 1.0'
    ]


async def test_the_catalog_says_how_it_was_served(store: Store) -> None:
    metrics = Metrics()
    async with open_catalog(some_catalog_store(store), store.hints, SystemClock()) as catalog:
        metrics.add(lambda: catalog_readings(catalog))
        await catalog.models()
        await catalog.models()

        assert 'chatd_catalog_cache_hits_total{cache="models"} 1.0' in lines(metrics)
        assert 'chatd_catalog_cache_entries{cache="models"} 1.0' in lines(metrics)


async def test_a_query_is_asked_once_in_a_while_and_its_answer_is_told_until_then(clock: MovedClock) -> None:
    metrics, asked = Metrics(clock.monotonic), 0

    async def census() -> list[Reading]:
        nonlocal asked
        asked += 1
        return [Reading(name="asked", meaning="Asked.", value=asked, kind="gauge")]

    metrics.add_query(census)
    await asyncio.gather(metrics.ask(), metrics.ask())
    assert "chatd_asked 1.0" in lines(metrics)

    await clock.advance(REMEMBERED_SECONDS)
    await metrics.ask()
    assert "chatd_asked 2.0" in lines(metrics)


@pytest.mark.parametrize("error", [Unavailable("away"), TimeoutError()])
async def test_while_the_database_is_away_the_other_numbers_are_told(error: Exception) -> None:
    async def fails() -> list[Reading]:
        raise error

    async def answers() -> list[Reading]:
        return [Reading(name="workers", meaning="Workers.", value=2, kind="gauge")]

    metrics = Metrics()
    metrics.add_query(fails)
    metrics.add_query(answers)
    await metrics.ask()

    assert "chatd_workers 2.0" in lines(metrics)


async def test_requests_are_counted_by_their_route_and_status(client: Client, anonymous: Client) -> None:
    chat = await client.start_chat()

    with counting() as found:
        await client.get(f"{CHATS}/{chat['id']}")
        await anonymous.get(f"{CHATS}/{chat['id']}")
        await client.get(f"{CHATS}/no-such-chat")

    route = "/api/v1/chats/{chat_id}"
    of_route = {name: value for name, value in found.items() if name.startswith("chatd_http_requests_total")}
    assert of_route == {
        f'chatd_http_requests_total{{method="GET",route="{route}",status="{status}"}}': 1
        for status in (200, 401, 404)
    }
    seconds = {
        name: value for name, value in found.items() if name.startswith("chatd_http_request_seconds_count")
    }
    assert seconds == {
        f'chatd_http_request_seconds_count{{route="{route}",status="{status}"}}': count
        for status, count in (("2xx", 1), ("4xx", 2))
    }


async def test_what_callers_make_up_becomes_no_label(anonymous: Client) -> None:
    with counting() as found:
        await anonymous.get("/made/up/by/a/caller")
        await anonymous.ask("BREW", "/made/up/by/another")

    assert {name for name in found if name.startswith("chatd_http_requests_total")} == {
        'chatd_http_requests_total{method="GET",route="other",status="404"}',
        'chatd_http_requests_total{method="other",route="other",status="404"}',
    }
