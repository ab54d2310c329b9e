"""Something of the inventory, or a refusal that says why it cannot be had (pure)."""

from chatd.catalog.models.inventory import Inventory
from chatd.catalog.models.rows import ModelConfig, ModelId, Provider, ProviderId, Unreadable
from chatd.catalog.rules.checks import problem_of_reach
from chatd.errors import NotAllowed, NotFound


def usable(inventory: Inventory, model: ModelConfig | Unreadable | None, asked: str | None) -> ModelConfig:
    """The model, if nothing but a key can be missing. Raises Refused."""
    if model is None:
        raise NotFound("unknown_model", _no_such_model(inventory, asked))
    name = inventory.name_of(model)
    if isinstance(model, Unreadable):
        raise NotAllowed("model_unreadable", f"This version of the server cannot read {name}.")
    provider = inventory.provider(model.provider_id)
    if provider is None:
        raise NotAllowed("model_disabled", f"The provider of {name} is gone.")
    if not model.enabled or not provider.enabled:
        raise NotAllowed("model_disabled", f"{name} is switched off.")
    if problem := problem_of_reach(provider):
        raise NotAllowed("address_refused", f"{provider.name}: {problem.message}")
    return model


def _no_such_model(inventory: Inventory, asked: str | None) -> str:
    if asked is None:
        return "There is no model to use."
    several = [inventory.name_of(each) for each in inventory.models if each.model == asked]
    if several:
        return f"Several models call themselves {asked!r}: {', '.join(several)}."
    return f"There is no model {asked!r}."


def found_model(inventory: Inventory, model_id: ModelId) -> ModelConfig:
    model = inventory.model(model_id)
    if model is None:
        _refuse_unreadable(inventory.unreadable_model(model_id))
        raise NotFound(
            "model_not_found", f"There is no model {model_id!r}.", hint="GET /api/v1/models lists them."
        )
    return model


def found_provider(inventory: Inventory, provider_id: ProviderId) -> Provider:
    provider = inventory.provider(provider_id)
    if provider is None:
        _refuse_unreadable(inventory.unreadable_provider(provider_id))
        raise NotFound(
            "provider_not_found",
            f"There is no provider {provider_id!r}.",
            hint="GET /api/v1/providers lists them.",
        )
    return provider


def called_provider(inventory: Inventory, wanted: str) -> Provider:
    """The provider of this name or id."""
    named = next((each for each in inventory.providers if each.name == wanted), None)
    return named or found_provider(inventory, wanted)


def _refuse_unreadable(unreadable: Unreadable | None) -> None:
    if unreadable is not None:
        raise NotAllowed(
            "unreadable",
            f"This version of the server cannot read {unreadable.name}.",
            hint="Update the server, or delete it and add it again. The list of them says why.",
        )


def stored_provider(inventory: Inventory, provider_id: ProviderId) -> Provider:
    provider = found_provider(inventory, provider_id)
    if provider.declared:
        raise declared_elsewhere(provider.name)
    return provider


def declared_elsewhere(name: str) -> NotAllowed:
    return NotAllowed(
        "declared",
        f"{name} is declared outside of the database, and can only be changed there.",
        hint="Change it in chatd.toml or in the server's environment, and start the server again.",
    )
