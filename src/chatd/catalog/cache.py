"""Remembering for a while what the database said: one primitive for everything that is read at every step.

A caller may give up at any time. The reading that it started belongs to the cache, goes on, and serves the
other callers that wait for it. Only the end of the server ends a reading.

A reading that began before a change must not be kept after it. So a reading is kept only while it is the
one that a new caller would wait for: forgetting a key also removes its reading, which then still answers
the callers that wait for it, and no others. That is a version for each key, without a counter to keep.

Callers cannot change what is kept: dicts and lists inside a value are copied on the way in and on the way
out. Everything else in our values is frozen structs, tuples and text, which can be shared.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from types import TracebackType
from typing import Generic, Self, TypeAlias, TypeVar

import structlog
from msgspec import Struct
from msgspec.structs import replace

from chatd.errors import Unavailable
from chatd.kit.clock import Clock

log = structlog.get_logger()

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")


class Absent(Exception):
    """There is no such thing. Not remembered, since it may be created at any moment. No failure, either."""


class Fills:
    """The parent of every reading. A context manager: leaving the block ends all of them."""

    def __init__(self) -> None:
        self._group: asyncio.TaskGroup | None = None
        self._under_way: set[asyncio.Task[object]] = set()

    async def __aenter__(self) -> Self:
        self._group = asyncio.TaskGroup()
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        group, self._group = self._group, None
        assert group is not None
        for task in self._under_way:
            task.cancel()
        await group.__aexit__(kind, error, trace)

    def start(self, fill: "Callable[[], Awaitable[T]]", name: str) -> "asyncio.Task[T]":
        """Raises Unavailable when the server is going away."""
        if self._group is None:
            raise Unavailable("The catalog is closed.")

        async def run() -> T:
            return await fill()

        task = self._group.create_task(run(), name=name)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task


class _Kept(Struct, Generic[V], frozen=True):
    value: V
    # By the monotonic clock.
    expires_at: float
    # Whether there is nothing in it that a caller could change, so that all may have the same object.
    unchangeable: bool


class _Read(Struct, Generic[V], frozen=True):
    value: V


class _Failed(Struct, frozen=True):
    error: Exception


_Outcome: TypeAlias = _Read[V] | _Failed


class Cache(Generic[K, V]):
    """Values by key, each for `ttl_seconds`. The least recently used ones go when there are too many."""

    def __init__(
        self, name: str, fills: Fills, clock: Clock, *, ttl_seconds: float, entries_max: int = 1
    ) -> None:
        assert entries_max > 0
        self.name = name
        self.hits = 0
        self.misses = 0
        self.fill_errors = 0
        self.fill_seconds = 0.0
        self.invalidations = 0
        self._fills = fills
        self._clock = clock
        self._ttl_seconds = ttl_seconds
        self._entries_max = entries_max
        self._kept: OrderedDict[K, _Kept[V]] = OrderedDict()
        # The readings that a newcomer joins: one for each key, and each of them may still be kept.
        self._flights: dict[K, asyncio.Task[_Outcome[V]]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    async def get(self, key: K, load: Callable[[], Awaitable[V]]) -> V:
        """What is remembered of the key, or else what `load` says. Its errors are raised and never kept."""
        kept = self._fresh(key)
        if kept is not None:
            self.hits += 1
            return kept.value if kept.unchangeable else unshared(kept.value)
        self.misses += 1
        flight = self._flights.get(key) or self._depart(key, load)
        # The shield: who gives up must not take the others' reading with them.
        outcome = await asyncio.shield(flight)
        if isinstance(outcome, _Failed):
            raise outcome.error
        return unshared(outcome.value)

    def forget(self, key: K) -> None:
        """The key has changed: what was read before is neither served nor kept from now on."""
        self.invalidations += 1
        self._kept.pop(key, None)
        self._flights.pop(key, None)

    def forget_all(self) -> None:
        self.invalidations += 1
        self._kept.clear()
        self._flights.clear()

    def _fresh(self, key: K) -> _Kept[V] | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        if self._clock.monotonic() >= kept.expires_at:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return kept

    def _depart(self, key: K, load: Callable[[], Awaitable[V]]) -> "asyncio.Task[_Outcome[V]]":
        async def fill() -> _Outcome[V]:
            return await self._read(load)

        flight = self._fills.start(fill, f"read {self.name}")
        self._flights[key] = flight
        flight.add_done_callback(lambda landed: self._land(key, landed))
        return flight

    async def _read(self, load: Callable[[], Awaitable[V]]) -> _Outcome[V]:
        started = self._clock.monotonic()
        try:
            return _Read(unshared(await load()))
        except Absent as absent:
            return _Failed(absent)
        except Exception as error:  # noqa: BLE001 - handed to the callers that wait, if any
            self.fill_errors += 1
            log.warning("catalog.read_failed", what=self.name, kind=type(error).__name__, error=str(error))
            return _Failed(error)
        finally:
            self.fill_seconds += self._clock.monotonic() - started

    def _land(self, key: K, flight: "asyncio.Task[_Outcome[V]]") -> None:
        """Nothing can happen between the look and the keeping: a callback does not wait."""
        if self._flights.get(key) is not flight:
            return  # The key was forgotten meanwhile.
        del self._flights[key]
        if flight.cancelled() or isinstance(outcome := flight.result(), _Failed):
            return
        value = outcome.value
        expires_at = self._clock.monotonic() + self._ttl_seconds
        self._kept[key] = _Kept(value, expires_at, unchangeable=unshared(value) is value)
        self._kept.move_to_end(key)
        if len(self._kept) > self._entries_max:
            self._kept.popitem(last=False)


# What cannot be changed, and is most of what there is.
_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})


def unshared(value: T) -> T:
    """The value with its own dicts and lists; what cannot be changed is the same object as before."""
    if type(value) in _PLAIN:
        return value
    copied: object = value
    match value:
        case dict():
            copied = {key: unshared(each) for key, each in value.items()}
        case list():
            copied = [unshared(each) for each in value]
        case tuple():
            items = [unshared(each) for each in value]
            if any(a is not b for a, b in zip(items, value, strict=True)):
                copied = tuple(items)
        case Struct():
            fields = {name: unshared(getattr(value, name)) for name in value.__struct_fields__}
            changed = {name: each for name, each in fields.items() if each is not getattr(value, name)}
            if changed:
                copied = replace(value, **changed)
        case _:
            pass
    return copied  # type: ignore[return-value]  # a copy is of the same type
