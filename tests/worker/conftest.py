"""Quiet, please."""

from tests.support.quiet import silence

__all__ = ["silence"]
