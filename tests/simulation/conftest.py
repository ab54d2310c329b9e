"""No logs; and options that choose which seeds are played."""

import pytest

from tests.support.quiet import silence

__all__ = ["silence"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="Play this seed only.")
    parser.addoption("--seeds", type=_range, help="Play these seeds: FIRST:END, without END.")


def _range(words: str) -> range:
    first, _, end = words.partition(":")
    return range(int(first), int(end))
