"""No logs; and options that choose which seeds are played."""

import pytest

from tests.support.quiet import silence

__all__ = ["silence"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="Play this seed only.")
    parser.addoption("--shrink", action="store_true", help="Tell a failing seed as the shortest story.")
    parser.addoption("--seeds", type=_range, help="Play these seeds: FIRST:END, or the first END.")


def _range(words: str) -> range:
    first, _, end = words.rpartition(":")
    return range(int(first or 0), int(end))
