"""Whether a user can use a model now, and if not, why. Pure: one answer for lists and for refusals."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from chatd.catalog.keys.keys import OwnKey
from chatd.catalog.models.inventory import Inventory
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderId
from chatd.catalog.rules.checks import needs_key, problem_of_reach

Reason: TypeAlias = Literal[
    "model_disabled", "provider_disabled", "address_refused", "missing_api_key", "user_api_key_required"
]
Keyring: TypeAlias = Mapping[ProviderId, OwnKey]

HOW_TO_ADD = "An administrator adds one with `chatd model add PROVIDER MODEL`, or POST /api/v1/models."


def why_unavailable(model: ModelConfig, provider: Provider, key: OwnKey) -> Reason | None:
    """The first reason that holds for a user with these keys; None for a model that can be used."""
    if not model.enabled:
        return "model_disabled"
    if not provider.enabled:
        return "provider_disabled"
    if problem_of_reach(provider) is not None:
        return "address_refused"
    has_key = key.has_provider_key or (provider.user_keys_allowed and key.has_user_key)
    if has_key or not needs_key(provider):
        return None
    return "user_api_key_required" if provider.user_keys_allowed else "missing_api_key"


def choices(inventory: Inventory, keyring: Keyring) -> str:
    """For a user who has chosen a model that they cannot use: the models that they can, or how to get one."""
    names = [
        inventory.name_of(model)
        for model in inventory.models
        if (provider := inventory.provider(model.provider_id)) is not None
        and why_unavailable(model, provider, keyring[provider.id]) is None
    ]
    match names:
        case []:
            return f"There is none that you can use. {HOW_TO_ADD}"
        case [only]:
            return f"There is {only}."
        case _:
            return f"There are {', '.join(names)}."
