"""Quiet, please; and `--seed` for whoever wants to hear one story again."""

import pytest

from tests.quiet import silence

__all__ = ["silence"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="Tell the story of this seed only.")
