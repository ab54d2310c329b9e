"""Where searches are made from, as most providers take it (pure)."""

import msgspec

from chatd.catalog.models.options import SearchLocation
from chatd.domain.part import Json


def approximate(location: SearchLocation | None) -> Json:
    """None where nothing is said of it."""
    said = msgspec.to_builtins(location) if location is not None else {}
    return {"type": "approximate", **said} if said else None
