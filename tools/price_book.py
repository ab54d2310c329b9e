"""The price book of the server, from the data of `genai-prices`.

The package itself is not installed with the server: for a table it would bring 30 MB and half a second at
every start. What is left out: models of providers that no chat could reach, prices for speech, pictures and
pages, prices that depend on the time of day, and prices for batches.
"""

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from importlib.metadata import version
from typing import Any

from genai_prices import data_snapshot

MICRO = 1_000_000
# The names of our fields, and of theirs.
PER_MILLION_TOKENS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
}
# Resellers of other models, whose own prices are in the book under the ones who make them.
LEFT_OUT = (
    "cursor",
    "elevenlabs",
    "github-copilot",
    "huggingface_",
    "openai-decisions",
    "typesafe",
    "voyageai",
)


def price_book() -> str:
    providers = [
        {
            "id": provider.id,
            "address": provider.api_pattern,
            "models": [entry for model in provider.models if (entry := _model(model)) is not None],
        }
        for provider in data_snapshot.get_snapshot().providers
        if not provider.id.startswith(LEFT_OUT)
    ]
    book = {"source": f"genai-prices {version('genai-prices')}", "providers": providers}
    # One model a line, so that a change can be read.
    return json.dumps(book, indent=None, separators=(",", ":")).replace('{"id":', '\n{"id":') + "\n"


def _model(model: Any) -> dict[str, Any] | None:
    matches = list(_matches(model.match))
    prices = [price for price in _periods(model.prices) if price is not None]
    if not matches or not prices:
        return None
    entry: dict[str, Any] = {"id": model.id, "match": matches, "prices": prices}
    if model.context_window:
        entry["context"] = model.context_window
    return entry


def _matches(clause: Any) -> Iterator[tuple[str, str]]:
    """Any of these fits the model's name. A clause that needs several at once is left out."""
    match type(clause).__name__:
        case "ClauseOr":
            for inner in clause.or_:
                yield from _matches(inner)
        case "ClauseEquals":
            yield "equals", clause.equals
        case "ClauseStartsWith":
            yield "begins", clause.starts_with
        case "ClauseContains":
            yield "contains", clause.contains
        case "ClauseEndsWith":
            yield "ends", clause.ends_with
        case _:
            return


def _periods(prices: Any) -> Iterator[dict[str, Any] | None]:
    """Oldest first; each counts from its day on."""
    if not isinstance(prices, Sequence):
        yield _price(prices, None)
        return
    for conditional in prices:
        match type(conditional.constraint).__name__:
            case "NoneType":
                yield _price(conditional.prices, None)
            case "StartDateConstraint":
                yield _price(conditional.prices, conditional.constraint.start_date.isoformat())
            case _:
                continue


def _price(price: Any, since: str | None) -> dict[str, Any] | None:
    named = {ours: getattr(price, theirs, None) for ours, theirs in PER_MILLION_TOKENS.items()}
    found = {name: value for name, value in named.items() if value is not None}
    if not {"input", "output"} <= found.keys():
        return None
    entry: dict[str, Any] = {}
    tiers: dict[int, dict[str, int]] = {}
    for name, value in found.items():
        if isinstance(value, Decimal):
            entry[name] = _micros(value)
            continue
        entry[name] = _micros(value.base)
        for tier in value.tiers:
            tiers.setdefault(tier.start, {})[name] = _micros(tier.price)
    if tiers:
        entry["tiers"] = [{"above": start, **tiers[start]} for start in sorted(tiers)]
    if (searches := getattr(price, "web_searches_kcount", None)) is not None:
        entry["web_search"] = _micros(searches) // 1000
    if since is not None:
        entry["since"] = since
    return entry


def _micros(amount: Decimal) -> int:
    return int(amount * MICRO)
