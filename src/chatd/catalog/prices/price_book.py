"""What models cost and how much they hold, as far as it is publicly known.

The table is `price_book.json`, made by `tools/price_book.py`. It is read when it is first asked.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from chatd.catalog.models.rows import ProviderType
from chatd.catalog.prices.model_names import spellings

# Remembered at once. Names come from people.
MODELS_MAX = 1024

# Of a model of which only the name is known. Most hold more; too little only means summaries too soon.
CONTEXT_LIMIT = 128_000

BOOK = Path(__file__).with_name("price_book.json")


class Rates(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """In millionths of the currency for each million tokens, and for each search. None: as for the input."""

    input: int
    output: int
    cache_read: int | None = None
    cache_write: int | None = None
    cache_write_1h: int | None = None
    web_search: int = 0


class _Tier(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts for the whole call once its prompt has more tokens than this."""

    above: int
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cache_write_1h: int | None = None


class _Period(Rates, frozen=True, kw_only=True, omit_defaults=True):
    since: str = ""
    tiers: tuple[_Tier, ...] = ()

    def at(self, prompt_tokens: int) -> Rates:
        rates = {name: getattr(self, name) for name in Rates.__struct_fields__}
        for tier in self.tiers:
            if prompt_tokens > tier.above:
                higher = {name: getattr(tier, name) for name in _Tier.__struct_fields__ if name != "above"}
                rates |= {name: rate for name, rate in higher.items() if rate is not None}
        return Rates(**rates)


class Entry(Struct, frozen=True):
    """One model at one provider."""

    id: str
    match: tuple[tuple[Literal["equals", "begins", "contains", "ends"], str], ...]
    prices: tuple[_Period, ...]
    context: int = 0

    def fits(self, model: str) -> bool:
        return any(_FITS[how](model, what) for how, what in self.match)

    def rates(self, *, day: str, prompt_tokens: int) -> Rates:
        """What counts on this day (as YYYY-MM-DD) for a prompt of this size."""
        newest = max((price for price in self.prices if price.since <= day), key=lambda price: price.since)
        return newest.at(prompt_tokens)


class _Provider(Struct, frozen=True):
    id: str
    models: tuple[Entry, ...]
    address: str = ""


class _Book(Struct, frozen=True):
    source: str
    providers: tuple[_Provider, ...]


_FITS: Mapping[str, Callable[[str, str], bool]] = {
    "equals": str.__eq__,
    "begins": str.startswith,
    "contains": str.__contains__,
    "ends": str.endswith,
}
# Whose prices count, the first that knows the model. A server that only speaks like another is known by
# its address, and one on one's own machine has no price at all.
_FAMILIES = {
    ProviderType.ANTHROPIC: ("anthropic",),
    ProviderType.OPENAI: ("openai",),
    ProviderType.AZURE: ("azure", "openai"),
    ProviderType.GOOGLE: ("google",),
    ProviderType.BEDROCK: ("aws",),
    ProviderType.OPENROUTER: ("openrouter",),
}


# Makers whose models are the same wherever they are called: few others can run them.
_MAKERS = ("anthropic", "openai", "google", "x-ai")
# It has a row for nearly every model, where the maker's own row does not say how much it holds.
_DIRECTORY = "openrouter"


@lru_cache(MODELS_MAX)
def known(type_: ProviderType, base_url: str | None, model: str) -> Entry | None:
    """What the book has on this model at this provider."""
    book = _book()
    name = model.lower()
    families = _families(type_, base_url)
    if type_ is ProviderType.VERCEL:
        # It names models by their makers, and charges what they charge.
        family, _, name = name.partition("/")
        families = (family,)
    for family in families:
        for entry in book[family].models if family in book else ():
            if entry.fits(name):
                return entry
    return None


def all_known(type_: ProviderType, base_url: str | None) -> tuple[Entry, ...]:
    """Models of this provider that hold a known number of tokens: the others are no models for chats."""
    book = _book()
    listed = (
        entry for family in _families(type_, base_url) if family in book for entry in book[family].models
    )
    return tuple({entry.id: entry for entry in listed if entry.context}.values())


def _families(type_: ProviderType, base_url: str | None) -> tuple[str, ...]:
    if base_url and type_ not in (ProviderType.AZURE, ProviderType.BEDROCK):
        return tuple(p.id for p in _book().values() if p.address and re.match(p.address, base_url))
    return _FAMILIES.get(type_, ())


def context_limit_of(type_: ProviderType, base_url: str | None, model: str) -> int:
    """How many tokens the model holds, if that is known; else what most do.

    Unlike its price, that is the same behind a gateway, so there the name is enough.
    """
    entry = known(type_, base_url, model)
    if entry is not None and entry.context:
        return entry.context
    # Ollama gives a model as much as there is memory for, so its name says nothing.
    return CONTEXT_LIMIT if type_ is ProviderType.OLLAMA else _context_of_name(model) or CONTEXT_LIMIT


@lru_cache(MODELS_MAX)
def _context_of_name(model: str) -> int:
    book = _book()
    for name in spellings(model):
        for family, wanted in (*((maker, name) for maker in _MAKERS), *_listed_as(name)):
            for entry in book[family].models:
                if entry.context and entry.fits(wanted):
                    return entry.context
    return 0


def _listed_as(name: str) -> tuple[tuple[str, str], ...]:
    return tuple((_DIRECTORY, f"{maker}/{name}") for maker in _MAKERS)


@cache
def _book() -> dict[str, _Provider]:
    book = msgspec.json.decode(BOOK.read_bytes(), type=_Book)
    return {provider.id: provider for provider in book.providers}
