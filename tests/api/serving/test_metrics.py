from chatd.agent.metrics import RETRIES
from chatd.api.serving.metrics import Metrics, Reading, catalog_readings
from chatd.catalog.catalog import open_catalog
from chatd.kit.clock import SystemClock
from chatd.storage.transactions.transact import Store
from tests.support.catalog_stores import some_catalog_store


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
