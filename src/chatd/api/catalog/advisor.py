"""The advisor of agents: how administrators have set it up."""

from chatd.api.bodies import Nothing
from chatd.api.catalog.advisor_bodies import AdvisorView, PutAdvisor
from chatd.api.router import Asked
from chatd.catalog.documents import ADVISOR, Advisor
from chatd.catalog.models.inventory import Inventory
from chatd.catalog.models.rows import ModelConfig
from chatd.domain.message import Effort
from chatd.errors import BadInput
from chatd.providers.capabilities.asked_efforts import efforts_of


async def show(asked: Asked[Nothing, Nothing]) -> AdvisorView:
    return _view(await asked.server.catalog_store.documents.read(ADVISOR, Advisor))


async def put(asked: Asked[Nothing, PutAdvisor]) -> AdvisorView:
    """What is not named is as it is by default. A turn that is under way goes on with what it began with."""
    body, catalog_store = asked.body, asked.server.catalog_store
    model = await catalog_store.admit(body.model, asked.user.id) if body.model is not None else None
    if body.reasoning_effort is not None:
        _check_effort(await catalog_store.inventory(), model, body.reasoning_effort)
    advisor = Advisor(
        enabled=body.enabled,
        max_uses_per_turn=body.max_uses_per_turn,
        max_output_tokens=body.max_output_tokens,
        model=model,
        reasoning_effort=body.reasoning_effort,
        for_children=body.for_children,
    )
    await catalog_store.documents.save(ADVISOR, advisor, by=asked.by)
    return _view(advisor)


def _check_effort(inventory: Inventory, name: str | None, effort: Effort) -> None:
    """The models of chats differ, so an effort is only for a model that is named."""
    if name is None:
        raise BadInput(
            "effort_without_model",
            "How hard to think can only be said of a model that is named.",
            field="reasoning_effort",
            hint="Name a `model`, or leave it out: then the model of the chat thinks as it usually does.",
        )
    model = inventory.named(name)
    provider = inventory.provider(model.provider_id) if isinstance(model, ModelConfig) else None
    assert isinstance(model, ModelConfig), "it was admitted"
    assert provider is not None, "it was admitted"
    selectable = efforts_of(provider, model)
    if effort not in selectable:
        choices = ", ".join(selectable)
        raise BadInput(
            "effort_not_selectable",
            f"{name} cannot be told to think with the effort {effort}.",
            field="reasoning_effort",
            hint=f"It takes: {choices}." if choices else "It cannot be told how hard to think: leave it out.",
        )


def _view(advisor: Advisor) -> AdvisorView:
    return AdvisorView(
        enabled=advisor.enabled,
        # What an older or broken program has stored is shown such that it can be saved again.
        max_uses_per_turn=max(0, advisor.max_uses_per_turn),
        max_output_tokens=max(0, advisor.max_output_tokens),
        model=advisor.model,
        reasoning_effort=advisor.reasoning_effort,
        for_children=advisor.for_children,
    )
