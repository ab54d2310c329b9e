"""Providers: places to call models at. Administrators change them; users see which ones are switched on."""

from msgspec import UNSET
from msgspec.structs import asdict, replace

from chatd.api.bodies import Nothing
from chatd.api.catalog.bodies import (
    CreateProvider,
    KnownModel,
    KnownModelList,
    PatchProvider,
    ProviderList,
    ProviderView,
    UnreadableView,
)
from chatd.api.checks import something_to_change
from chatd.api.router import Asked
from chatd.catalog.models.lookup import found_provider
from chatd.catalog.models.rows import Provider, ProviderSettings
from chatd.catalog.models.store import CatalogStore
from chatd.catalog.prices.price_book import all_known
from chatd.catalog.prices.public import public_prices
from chatd.domain.people.deeds import Deed
from chatd.kit.ids import new_id


async def list_(asked: Asked[Nothing, Nothing]) -> ProviderList:
    catalog_store = asked.server.catalog_store
    inventory = await catalog_store.inventory()
    for_admin = asked.may(Deed.MODEL_CHANGE)
    views = [
        await _view(catalog_store, each, for_admin=for_admin)
        for each in inventory.providers
        if for_admin or each.enabled
    ]
    unreadable = tuple(
        UnreadableView(id=each.id, name=each.name, reason=each.reason)
        for each in inventory.unreadable_providers
        if for_admin
    )
    return ProviderList(providers=tuple(views), unreadable=unreadable or UNSET)


async def add(asked: Asked[Nothing, CreateProvider]) -> ProviderView:
    fields = asdict(asked.body)
    key = fields.pop("api_key")
    catalog_store = asked.server.catalog_store
    provider = await catalog_store.add_provider(Provider(id=new_id(), **fields), key, by=asked.by)
    return await _view(catalog_store, provider, for_admin=True)


async def patch(asked: Asked[Nothing, PatchProvider]) -> ProviderView:
    fields = something_to_change(asked.body)
    key = fields.pop("api_key", UNSET)
    catalog_store = asked.server.catalog_store
    changed = await catalog_store.change_provider(
        asked.path["provider_id"], lambda before: replace(before, **fields), key=key, by=asked.by
    )
    return await _view(catalog_store, changed, for_admin=True)


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    await asked.server.catalog_store.delete_provider(asked.path["provider_id"], by=asked.by)


async def known_models(asked: Asked[Nothing, Nothing]) -> KnownModelList:
    provider = found_provider(await asked.server.catalog_store.inventory(), asked.path["provider_id"])
    entries = sorted(all_known(provider.type, provider.base_url), key=lambda entry: entry.id)
    return KnownModelList(
        models=tuple(
            KnownModel(model=entry.id, context_limit=entry.context, prices=public_prices(entry))
            for entry in entries
        )
    )


async def _view(catalog_store: CatalogStore, provider: Provider, *, for_admin: bool) -> ProviderView:
    shown = await catalog_store.keys.shown_key(provider)
    view = ProviderView(
        id=provider.id,
        type=provider.type,
        name=provider.name,
        display_name=provider.display_name,
        enabled=provider.enabled,
        user_keys_allowed=provider.user_keys_allowed,
        declared=provider.declared,
        has_api_key=shown is not None,
    )
    if not for_admin:
        return view
    return replace(view, base_url=provider.base_url, settings=_shown(provider.settings), api_key=shown)


def _shown(settings: ProviderSettings) -> ProviderSettings:
    """Without the password of a proxy, which may be in a declared one."""
    if settings.proxy is None or "@" not in settings.proxy:
        return settings
    scheme, _, rest = settings.proxy.partition("://")
    return replace(settings, proxy=f"{scheme}://…@{rest.rpartition('@')[2]}")
