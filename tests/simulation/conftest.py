"""No logs; little search for garbage; and options that choose which seeds are played."""

import gc
from collections.abc import Iterator

import pytest

from tests.simulation.playing import collect_garbage
from tests.support.quiet import silence

__all__ = ["silence"]

# Then it is collected, also in the middle of a story that never ends. Most stories make less than this.
GARBAGE_OBJECTS_MAX = 500_000


@pytest.fixture(autouse=True)
def collect_seldom() -> Iterator[None]:
    """To look for garbage again and again takes a tenth of the time. It is done between two stories."""
    usual = gc.get_threshold()
    gc.set_threshold(GARBAGE_OBJECTS_MAX)
    yield
    collect_garbage()
    gc.set_threshold(*usual)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="Play this seed only.")
    parser.addoption("--shrink", action="store_true", help="Tell a failing seed as the shortest story.")
    parser.addoption("--seeds", type=_range, help="Play these seeds: FIRST:END, or the first END.")


def _range(words: str) -> range:
    first, _, end = words.rpartition(":")
    return range(int(first or 0), int(end))
