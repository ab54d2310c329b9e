"""Spans: what took how long, and inside of what. Nothing happens until a program sets a tracer.

A span has a name and attributes, and never what people, models or tools have said.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import Enum, auto
from typing import Protocol, Self, TypeAlias

Value: TypeAlias = str | int | float | bool | Sequence[str]
Attributes: TypeAlias = Mapping[str, Value]


class Kind(Enum):
    """Where the work is done. Those who draw maps of services from traces go by it."""

    INTERNAL = auto()
    # Another program asked us.
    SERVER = auto()
    # We asked another program.
    CLIENT = auto()


class Span(Protocol):
    """What goes on in the block. An exception that leaves it marks it as failed."""

    def set(self, attributes: Attributes) -> None: ...
    def fail(self, kind: str) -> None: ...


Tracer: TypeAlias = Callable[[str, Attributes, Kind], AbstractContextManager[Span]]


class _Nothing:
    """A span while there is no tracer: one for all, because there are many."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def set(self, attributes: Attributes) -> None:
        pass

    def fail(self, kind: str) -> None:
        pass


_NOTHING = _Nothing()
_tracer: Tracer | None = None


def span(name: str, attributes: Attributes, kind: Kind = Kind.INTERNAL) -> AbstractContextManager[Span]:
    return _NOTHING if _tracer is None else _tracer(name, attributes, kind)


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Spans of this process go there for the block."""
    global _tracer  # noqa: PLW0603 - spans are begun everywhere, and a tracer is for the whole process
    before, _tracer = _tracer, tracer
    try:
        yield
    finally:
        _tracer = before
