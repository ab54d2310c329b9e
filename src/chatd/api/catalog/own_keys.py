"""Users' own keys: for providers that allow them. A key goes in and never comes out."""

from chatd.api.bodies import Nothing
from chatd.api.catalog.bodies import KeyList, KeyView, PutKey
from chatd.api.router import Asked
from chatd.catalog.models.lookup import called_provider


async def list_(asked: Asked[Nothing, Nothing]) -> KeyList:
    catalog_store = asked.server.catalog_store
    providers = [each for each in (await catalog_store.inventory()).providers if each.enabled]
    return KeyList(
        keys=tuple(
            KeyView(
                provider_id=each.provider.id,
                provider=each.provider.name,
                user_keys_allowed=each.provider.user_keys_allowed,
                has_user_api_key=each.has_user_key,
                has_provider_api_key=each.has_provider_key,
            )
            for each in await catalog_store.keys.own_keys(providers, asked.user.id)
        )
    )


async def put(asked: Asked[Nothing, PutKey]) -> None:
    await asked.server.catalog_store.set_own_key(
        asked.path["provider"], asked.user.id, asked.body.api_key, by=asked.by
    )


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    catalog_store = asked.server.catalog_store
    provider = called_provider(await catalog_store.inventory(), asked.path["provider"])
    await catalog_store.keys.delete_own_key(provider, asked.user.id, by=asked.by)
