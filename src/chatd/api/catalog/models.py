"""Models that chats can use."""

from msgspec import UNSET
from msgspec.structs import asdict, replace

from chatd.api.bodies import Nothing
from chatd.api.catalog.bodies import CreateModel, ModelList, ModelView, PatchModel, UnreadableView
from chatd.api.checks import something_to_change
from chatd.api.router import Asked, B
from chatd.catalog.models.availability import Keyring, why_unavailable
from chatd.catalog.models.inventory import Inventory
from chatd.catalog.models.lookup import found_model
from chatd.catalog.models.probe import ProbeResult
from chatd.catalog.models.rows import ModelConfig, Prices, Provider
from chatd.catalog.prices.price_book import CONTEXT_LIMIT, context_limit_of, known
from chatd.catalog.prices.public import public_prices
from chatd.domain.people.deeds import Deed
from chatd.kit.ids import new_id
from chatd.providers.capabilities.asked_efforts import efforts_of


async def list_(asked: Asked[Nothing, Nothing]) -> ModelList:
    """Users get the models that are switched on; administrators get all."""
    inventory = await asked.server.catalog_store.inventory()
    keys = await _keys(asked, inventory)
    for_admin = asked.may(Deed.MODEL_CHANGE)
    return ModelList(
        models=tuple(
            _view(inventory, model, keys, for_admin=for_admin)
            for model in inventory.models
            if for_admin or _is_on(inventory, model)
        ),
        unreadable=(_unreadable(inventory) if for_admin else ()) or UNSET,
    )


async def add(asked: Asked[Nothing, CreateModel]) -> ModelView:
    fields = asdict(asked.body)
    if asked.body.context_limit is None:
        fields["context_limit"] = await _usual_context(asked)
    model, inventory = await asked.server.catalog_store.add_model(
        ModelConfig(id=new_id(), **fields), by=asked.by
    )
    return _view(inventory, model, await _keys(asked, inventory), for_admin=True)


async def patch(asked: Asked[Nothing, PatchModel]) -> ModelView:
    fields = something_to_change(asked.body)
    model, inventory = await asked.server.catalog_store.change_model(
        asked.path["model_id"],
        lambda before: replace(before, **fields),
        chosen=asked.body.is_default is True,
        by=asked.by,
    )
    return _view(inventory, model, await _keys(asked, inventory), for_admin=True)


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    await asked.server.catalog_store.delete_model(asked.path["model_id"], by=asked.by)


async def test(asked: Asked[Nothing, Nothing]) -> ProbeResult:
    """One tiny call. That it fails is an answer, not an error."""
    inventory = await asked.server.catalog_store.inventory()
    model = found_model(inventory, asked.path["model_id"])
    return await asked.server.prober.probe(inventory.name_of(model))


async def _usual_context(asked: Asked[Nothing, CreateModel]) -> int:
    provider = (await asked.server.catalog_store.inventory()).provider(asked.body.provider_id)
    # An unknown provider is refused with better words than ours.
    return context_limit_of(provider.type, provider.base_url, asked.body.model) if provider else CONTEXT_LIMIT


async def _keys(asked: Asked[Nothing, B], inventory: Inventory) -> Keyring:
    return await asked.server.catalog_store.keyring(inventory, asked.user.id)


def _unreadable(inventory: Inventory) -> tuple[UnreadableView, ...]:
    return tuple(
        UnreadableView(id=each.id, name=inventory.name_of(each), reason=each.reason)
        for each in inventory.unreadable_models
    )


def _is_on(inventory: Inventory, model: ModelConfig) -> bool:
    provider = inventory.provider(model.provider_id)
    return model.enabled and provider is not None and provider.enabled


def _view(inventory: Inventory, model: ModelConfig, keys: Keyring, *, for_admin: bool) -> ModelView:
    provider = inventory.provider(model.provider_id)
    assert provider is not None, "a model in an inventory has its provider there"
    reason = why_unavailable(model, provider, keys[provider.id])
    view = ModelView(
        id=model.id,
        name=inventory.name_of(model),
        provider_id=provider.id,
        provider=provider.name,
        provider_type=provider.type,
        model=model.model,
        display_name=model.display_name,
        enabled=model.enabled,
        is_default=model.is_default,
        context_limit=model.context_limit,
        compression_threshold=model.compression_threshold,
        reasoning_efforts=efforts_of(provider, model),
        prices=model.prices or _public_prices(model, provider),
        web_search=model.options.searches_web,
        prices_are_set=model.prices is not None,
        declared=model.declared,
        available=reason is None,
        unavailable_reason=reason,
    )
    return replace(view, options=model.options) if for_admin else view


def _public_prices(model: ModelConfig, provider: Provider) -> Prices | None:
    entry = known(provider.type, provider.base_url, model.model)
    return public_prices(entry) if entry is not None else None
