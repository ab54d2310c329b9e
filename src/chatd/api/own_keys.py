"""Users' own keys: for providers that allow them. A key goes in and never comes out."""

from chatd.api.bodies import Nothing
from chatd.api.catalog_bodies import KeyList, KeyView, PutKey
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, B
from chatd.catalog.rows import Provider
from chatd.catalog.shelf import Unmet, found_provider


async def list_(asked: Asked[Nothing, Nothing]) -> KeyList:
    shelf = asked.server.shelf
    providers = [each for each in (await shelf.inventory()).providers if each.enabled]
    return KeyList(
        keys=tuple(
            KeyView(
                provider_id=each.provider.id,
                provider=each.provider.name,
                user_keys_allowed=each.provider.user_keys_allowed,
                has_user_api_key=each.has_user_key,
                has_provider_api_key=each.has_provider_key,
            )
            for each in await shelf.keys.own_keys(providers, asked.user.id)
        )
    )


async def put(asked: Asked[Nothing, PutKey]) -> None:
    provider = await _provider(asked)
    if not provider.enabled:
        raise Unmet("provider_disabled", f"The provider {provider.name} is switched off.")
    if not provider.user_keys_allowed:
        raise Forbidden("own_keys_not_allowed", f"{provider.name} is used with the server's key alone.")
    await asked.server.shelf.keys.set_own_key(provider, asked.user.id, asked.body.api_key)


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    provider = await _provider(asked)
    await asked.server.shelf.keys.delete_own_key(provider, asked.user.id)


async def _provider(asked: Asked[Nothing, B]) -> Provider:
    """By its id, or by its name."""
    wanted = asked.path["provider"]
    inventory = await asked.server.shelf.inventory()
    named = next((each for each in inventory.providers if each.name == wanted), None)
    return named or found_provider(inventory, wanted)
