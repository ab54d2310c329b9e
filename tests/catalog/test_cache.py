"""The cache in any order: readings that take their time, changes, people who give up."""

import asyncio
import random

import pytest
from msgspec import Struct

from chatd.catalog.cache import Cache, Fills, unshared
from tests.support.virtual import VirtualClock, run_virtually
from tests.traceability import proves

TTL_SECONDS = 10.0
KEYS = ("a", "b", "c")
READ_SECONDS_MAX = 4.0
STEPS = 30


class Story:
    """One database, one cache, and whoever comes along."""

    def __init__(self, seed: int, fills: Fills) -> None:
        self.chance = random.Random(seed)
        self.truth = dict.fromkeys(KEYS, 0)
        # The newest version of each key whose writer was told that it is done.
        self.acknowledged = dict.fromkeys(KEYS, 0)
        # When each version ceased to be true.
        self.ended: dict[tuple[str, int], float] = {}
        self.reading: dict[tuple[str, int], int] = {}
        self.fills_most = 0
        self.answers = 0
        self.cache: Cache[str, int] = Cache(
            "test", fills, VirtualClock(), ttl_seconds=TTL_SECONDS, entries_max=2
        )

    async def load(self, key: str) -> int:
        await self.pause(READ_SECONDS_MAX / 2)
        version = self.truth[key]
        await self.pause(READ_SECONDS_MAX / 2)
        if self.chance.random() < 0.1:
            raise ConnectionError
        return version

    async def reader(self) -> None:
        for _ in range(STEPS):
            key = self.chance.choice(KEYS)
            before = self.acknowledged[key]
            try:
                async with asyncio.timeout(self.chance.choice([0.5, 2, 100])):
                    version = await self.cache.get(key, lambda key=key: self.load(key))  # type: ignore[misc]
            except (ConnectionError, TimeoutError):
                continue
            self.answers += 1
            assert version >= before, f"{key}: version {version} after {before} was acknowledged"
            self.check_age(key, version)
            assert len(self.cache) <= 2
            await self.pause(3)

    def check_age(self, key: str, version: int) -> None:
        """However the hints went: nothing is older than its time and the longest reading."""
        ended = self.ended.get((key, version))
        now = asyncio.get_running_loop().time()
        assert ended is None or now - ended <= TTL_SECONDS + 2 * READ_SECONDS_MAX

    async def writer(self, *, hints: bool) -> None:
        for _ in range(STEPS):
            await self.pause(8)
            key = self.chance.choice(KEYS)
            self.ended[key, self.truth[key]] = asyncio.get_running_loop().time()
            self.truth[key] += 1
            version = self.truth[key]
            # A commit is true before its writer hears of it.
            await self.pause(0.5)
            if hints:
                self.forget(key)
                self.acknowledged[key] = max(version, self.acknowledged[key])

    def forget(self, key: str) -> None:
        if self.chance.random() < 0.2:
            self.cache.forget_all()
        else:
            self.cache.forget(key)

    async def pause(self, seconds_max: float) -> None:
        await asyncio.sleep(self.chance.uniform(0, seconds_max))


async def told(seed: int, *, hints: bool) -> Story:
    async with Fills() as fills:
        story = Story(seed, fills)
        async with asyncio.TaskGroup() as group:
            for _ in range(5):
                group.create_task(story.reader())
            for _ in range(2):
                group.create_task(story.writer(hints=hints))
    return story


@proves("config-cache", 31)
def test_in_any_order_nothing_older_than_the_last_acknowledged_change_is_seen() -> None:
    answers = hits = 0
    for seed in range(150):
        story = run_virtually(told(seed, hints=True), seed=seed)
        answers, hits = answers + story.answers, hits + story.cache.hits

    # Otherwise nothing was at stake.
    assert hits > answers / 10 > 0


def test_without_a_single_hint_nothing_lives_longer_than_its_time() -> None:
    for seed in range(50):
        story = run_virtually(told(seed, hints=False), seed=seed)
        assert story.cache.hits > 0


async def test_the_least_recently_used_goes_first() -> None:
    asked: list[str] = []

    async def load(key: str) -> str:
        asked.append(key)
        return key

    async with Fills() as fills:
        cache: Cache[str, str] = Cache("test", fills, VirtualClock(), ttl_seconds=1000, entries_max=2)
        for key in ("a", "b", "a", "c", "a", "b"):
            assert await cache.get(key, lambda key=key: load(key)) == key  # type: ignore[misc]

    assert asked == ["a", "b", "c", "b"]


class Shape(Struct, frozen=True):
    name: str
    inner: tuple[object, ...] = ()


@pytest.mark.parametrize("value", ["text", 1, None, (1, ("a",)), Shape("a", (Shape("b"), 2))])
def test_what_cannot_be_changed_is_shared(value: object) -> None:
    assert unshared(value) is value


@pytest.mark.parametrize("value", [{"a": {}}, [[]], ({},), Shape("a", ({"b": [1]},))])
def test_what_can_be_changed_is_copied_all_the_way_down(value: object) -> None:
    copied = unshared(value)

    assert copied == value
    assert _mutable_parts(copied).isdisjoint(_mutable_parts(value))


def _mutable_parts(value: object) -> set[int]:
    match value:
        case dict():
            return {id(value)}.union(*map(_mutable_parts, value.values()))
        case list():
            return {id(value)}.union(*map(_mutable_parts, value))
        case tuple():
            return set().union(*map(_mutable_parts, value))
        case Shape(inner=inner):
            return _mutable_parts(inner)
        case _:
            return set()
