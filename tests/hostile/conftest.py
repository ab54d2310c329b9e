"""The callers of the API, for attempts over HTTP."""

from tests.api.conftest import admin, anonymous, app, client, prober, stranger

__all__ = ["admin", "anonymous", "app", "client", "prober", "stranger"]
