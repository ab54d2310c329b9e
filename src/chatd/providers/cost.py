"""What a model call has cost (pure). Unknown is None, free of charge is 0."""

from collections.abc import Iterator

import structlog

from chatd.catalog.models.rows import Prices
from chatd.catalog.prices.price_book import Rates
from chatd.domain.message import Cost, Usage

log = structlog.get_logger()

MILLION = 1_000_000
# Larger counts are mistakes of the provider.
TOKENS_MAX = 10**12
COST_MICROS_MAX = 10**13


def cost(
    usage: Usage | None, *, set_prices: Prices | None, billed_micros: int | None, book: Rates | None
) -> Cost | None:
    """The administrator's prices win over the provider's own bill, and that over what is publicly known."""
    if set_prices is not None:
        return _charged(usage, _as_rates(set_prices), "settings")
    if billed_micros is not None:
        return (
            Cost(micros=billed_micros, source="provider") if 0 <= billed_micros <= COST_MICROS_MAX else None
        )
    return _charged(usage, book, "price book") if book is not None else None


def _charged(usage: Usage | None, rates: Rates, source: str) -> Cost | None:
    if usage is None:
        return None
    charges = list(_charges(usage, rates))
    micros = sum(charged for _, _, _, charged in charges)
    if any(not 0 <= count <= TOKENS_MAX for _, count, _, _ in charges) or not 0 <= micros <= COST_MICROS_MAX:
        log.error("cost.absurd", usage=repr(usage))
        return None
    basis = {
        name: {"count": count, "rate": rate, "micros": charged} for name, count, rate, charged in charges
    }
    return Cost(micros=micros, source=source, basis=basis)


def _charges(usage: Usage, rates: Rates) -> Iterator[tuple[str, int, int, int]]:
    """Each kind of token that occurs: how many, at which rate, and what that makes, rounded down for itself.

    Reasoning is part of the output and is not charged again.
    """
    written = rates.input if rates.cache_write is None else rates.cache_write
    kinds = (
        ("input", usage.input_tokens, rates.input),
        (
            "cache_read",
            usage.cache_read_tokens,
            rates.input if rates.cache_read is None else rates.cache_read,
        ),
        ("cache_write", usage.cache_creation_tokens - usage.cache_creation_1h_tokens, written),
        (
            "cache_write_1h",
            usage.cache_creation_1h_tokens,
            written if rates.cache_write_1h is None else rates.cache_write_1h,
        ),
        ("output", usage.output_tokens, rates.output),
    )
    for name, count, rate in kinds:
        if count:
            yield name, count, rate, count * rate // MILLION
    if usage.web_searches and rates.web_search:
        yield "web_search", usage.web_searches, rates.web_search, usage.web_searches * rates.web_search


def _as_rates(prices: Prices) -> Rates:
    return Rates(
        input=prices.input,
        output=prices.output,
        cache_read=prices.cache_read,
        cache_write=prices.cache_write,
        cache_write_1h=prices.cache_write_1h,
    )
