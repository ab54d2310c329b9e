"""Callers, as the tests of the API have them."""

from tests.api.conftest import app, client, prober

__all__ = ["app", "client", "prober"]
