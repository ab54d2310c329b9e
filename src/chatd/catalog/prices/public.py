"""What a model costs today, as far as it is publicly known."""

from datetime import UTC, datetime

from chatd.catalog.models.rows import Prices
from chatd.catalog.prices.price_book import Entry


def public_prices(entry: Entry) -> Prices:
    """For a short prompt: some models cost more when they are told much."""
    rates = entry.rates(day=datetime.now(UTC).date().isoformat(), prompt_tokens=0)
    return Prices(**{name: getattr(rates, name) for name in Prices.__struct_fields__})
