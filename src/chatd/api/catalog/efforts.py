"""Whether it makes a difference how hard the model of a message is asked to think."""

from msgspec.structs import replace

from chatd.api.router import Asked, B, Q
from chatd.catalog.models.options import EffortRange
from chatd.catalog.models.rows import ModelConfig
from chatd.domain.message import Effort
from chatd.errors import BadInput
from chatd.providers.capabilities.asked_efforts import efforts_of


async def check_effort(asked: Asked[Q, B], effort: Effort | None, model_name: str | None) -> None:
    """Raises BadInput when the model, or the default one for None, would think as hard without it.

    Refused, not ignored: the caller could not see in the reply that the effort had no effect.
    """
    if effort is None:
        return
    inventory = await asked.server.catalog_store.inventory()
    named = inventory.named(model_name) if model_name is not None else None
    # One that was deleted is replaced by the default as well.
    model = named or inventory.default
    provider = inventory.provider(model.provider_id) if model is not None else None
    if not isinstance(model, ModelConfig) or provider is None:
        # The model cannot be used at all. That is another error, which the caller of this or the turn raises.
        return
    if efforts_of(provider, model):
        return
    name = inventory.name_of(model)
    raise BadInput(
        "effort_without_effect",
        f"{name} cannot be told how hard to think.",
        field="reasoning_effort",
        hint=(
            f"Leave it out, or ask an administrator to set `options.reasoning_effort` of {name}."
            if efforts_of(provider, _opened(model))
            else "Leave it out, or use a model that has `reasoning_efforts` in GET /api/v1/models."
        ),
    )


def _opened(model: ModelConfig) -> ModelConfig:
    """As it would be if an administrator let users choose the effort."""
    whole = EffortRange(default=Effort.NONE, max=Effort.MAX)
    return replace(model, options=replace(model.options, reasoning_effort=whole))
