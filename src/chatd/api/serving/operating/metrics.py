"""Numbers about this server, in the text format of Prometheus.

What happens is counted where it happens, by a counter of that module. What merely is, like the size of a
cache, is read when `/metrics` is asked for: whoever knows it adds a source. What has to be asked for, as of
the database, is a query: it is asked at most every few seconds, and left out while there is no answer.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from chatd.catalog.catalog import Catalog
from chatd.catalog.remembered import CacheStatistics
from chatd.errors import Unavailable

if TYPE_CHECKING:
    from prometheus_client.core import Metric

PREFIX = "chatd_"

# Several may ask at once, and every few seconds: the database is asked for all of them together.
REMEMBERED_SECONDS = 5.0
# Without an answer by then the other numbers are told: they say what is wrong with the database.
QUERY_SECONDS_MAX = 2.0


class Reading(Struct, frozen=True, kw_only=True):
    """One number at this moment. Readings of one name have the same meaning, kind and labels."""

    name: str
    meaning: str
    value: float
    kind: Literal["counter", "gauge"] = "counter"
    labels: Mapping[str, str] = {}


Source: TypeAlias = Callable[[], Iterable[Reading]]
Query: TypeAlias = Callable[[], Awaitable[Iterable[Reading]]]


class Metrics:
    def __init__(self, now_seconds: Callable[[], float] = time.monotonic) -> None:
        self._now_seconds = now_seconds
        self._sources: list[Source] = []
        self._queries: list[Query] = []
        self._asking = asyncio.Lock()
        self._asked_at: float | None = None
        self._answers: Sequence[Reading] = ()

    def add(self, source: Source) -> None:
        self._sources.append(source)

    def add_query(self, query: Query) -> None:
        self._queries.append(query)

    async def ask(self) -> None:
        """Ask the queries, unless that was done a moment ago."""
        async with self._asking:
            if self._asked_at is None or self._now_seconds() - self._asked_at >= REMEMBERED_SECONDS:
                self._answers = [each for query in self._queries for each in await _answer(query)]
                self._asked_at = self._now_seconds()

    def collect(self) -> "Iterator[Metric]":
        yield from _counted()
        # Here, and not above: most programs that read this are never asked, and it takes a while to load.
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415

        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for each in (*(reading for source in self._sources for reading in source()), *self._answers):
            family = families.get(each.name)
            if family is None:
                make = CounterMetricFamily if each.kind == "counter" else GaugeMetricFamily
                family = make(PREFIX + each.name, each.meaning, labels=list(each.labels))
                families[each.name] = family
            family.add_metric(list(each.labels.values()), each.value)
        yield from families.values()

    def written(self) -> tuple[bytes, str]:
        """The text, and its type."""
        from prometheus_client import (  # noqa: PLC0415 - as above
            CONTENT_TYPE_LATEST,
            CollectorRegistry,
            ProcessCollector,
            generate_latest,
        )

        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(self)
        return generate_latest(registry), CONTENT_TYPE_LATEST


async def _answer(query: Query) -> Iterable[Reading]:
    try:
        async with asyncio.timeout(QUERY_SECONDS_MAX):
            return await query()
    except (Unavailable, TimeoutError):
        return ()


def _counted() -> "Iterator[Metric]":
    """Without the time at which each count began, which dashboards do not use and which doubles the lines."""
    from prometheus_client import REGISTRY  # noqa: PLC0415 - as above

    for family in REGISTRY.collect():
        if family.name.startswith(PREFIX):
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family


def catalog_readings(catalog: Catalog) -> Iterator[Reading]:
    """How what administrators set was served to agents."""
    for each in catalog.statistics():
        yield from cache_readings(each)


def cache_readings(cache: CacheStatistics) -> Iterator[Reading]:
    numbers = {
        "hits": ("Answers from memory.", cache.hits),
        "misses": ("Answers that had to be read.", cache.misses),
        "fill_errors": ("Readings that failed.", cache.fill_errors),
        "fill_seconds": ("Time spent reading.", cache.fill_seconds),
        "invalidations": ("Changes that were heard of.", cache.invalidations),
    }
    labels = {"cache": cache.name}
    for name, (meaning, value) in numbers.items():
        yield Reading(name=f"catalog_cache_{name}", meaning=meaning, value=value, labels=labels)
    yield Reading(
        name="catalog_cache_entries",
        meaning="What is remembered.",
        value=cache.entries,
        kind="gauge",
        labels=labels,
    )
