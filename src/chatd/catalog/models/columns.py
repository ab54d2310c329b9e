"""Columns ↔ providers and models, as `queries/catalog/catalog.sql` names them."""

from typing import Any

import msgspec
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions
from chatd.catalog.models.rows import (
    ModelConfig,
    Prices,
    Provider,
    ProviderSettings,
    ProviderType,
    Unreadable,
)
from chatd.kit.codec import Decoder, encode_text
from chatd.storage.database import Row

_settings = Decoder(ProviderSettings)
_options = Decoder(CallOptions)
_prices = Decoder(Prices)

# What a word or a document raises that this program does not know.
_UNKNOWN = (ValueError, TypeError, RecursionError, msgspec.MsgspecError)


def provider(row: Row) -> Provider | Unreadable:
    id_, name, type_, display_name, enabled, base_url, settings, user_keys_allowed, _, _ = row
    try:
        return Provider(
            id=id_,
            name=name,
            type=ProviderType(type_),
            display_name=display_name,
            enabled=bool(enabled),
            base_url=base_url,
            settings=_settings.decode(settings),
            user_keys_allowed=bool(user_keys_allowed),
        )
    except _UNKNOWN as error:
        return Unreadable(id=id_, name=name, reason=_reason(error))


def name_of(row: Row) -> tuple[str, str]:
    """The id and the name of a provider, whatever else is in its row."""
    return row[0], row[1]


def sealed(row: Row | None) -> str | None:
    """The provider's key, as it is kept."""
    if row is None:
        return None
    key: str | None = row[8]
    return key


def is_deleted(row: Row) -> bool:
    return bool(row[9])


def columns_of_provider(each: Provider, key: str | None) -> tuple[Any, ...]:
    _, *changes = changes_of_provider(each, key)
    return each.id, each.name, each.type.value, *changes


def changes_of_provider(each: Provider, key: str | None) -> tuple[Any, ...]:
    return (
        each.id,
        each.display_name,
        each.enabled,
        each.base_url,
        encode_text(each.settings),
        each.user_keys_allowed,
        key,
    )


def model(row: Row) -> ModelConfig | Unreadable:
    id_, provider_id, name, display_name, enabled, context_limit, threshold, options, prices = row
    try:
        return ModelConfig(
            id=id_,
            provider_id=provider_id,
            model=name,
            display_name=display_name,
            enabled=bool(enabled),
            context_limit=context_limit,
            compression_threshold=threshold,
            options=_options.decode(options),
            prices=_prices.decode(prices) if prices is not None else None,
        )
    except _UNKNOWN as error:
        return Unreadable(id=id_, name=name, provider_id=provider_id, reason=_reason(error))


def columns_of_model(each: ModelConfig) -> tuple[Any, ...]:
    _, *changes = changes_of_model(each)
    return each.id, each.provider_id, each.model, *changes


def changes_of_model(each: ModelConfig) -> tuple[Any, ...]:
    return (
        each.id,
        each.display_name,
        each.enabled,
        each.context_limit,
        each.compression_threshold,
        encode_text(each.options),
        encode_text(each.prices) if each.prices is not None else None,
    )


def _reason(error: Exception) -> str:
    return f"A newer version of chatd has written it, or it is damaged: {str(error).rstrip('.')}."


def with_default(each: ModelConfig, *, is_default: bool) -> ModelConfig:
    return replace(each, is_default=is_default)
