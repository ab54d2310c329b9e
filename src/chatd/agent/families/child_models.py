"""Which models the children of a chat have: what was set for them, and what their owner can use."""

import msgspec
import structlog

from chatd.catalog.documents import SUBAGENTS, ChildModel, Followed, Subagents
from chatd.catalog.models.availability import why_unavailable
from chatd.catalog.models.inventory import Inventory
from chatd.catalog.models.rows import ModelConfig, Provider
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import UserId
from chatd.domain.profile.agent_type import AgentType
from chatd.errors import BadInput
from chatd.providers.capabilities.asked_efforts import efforts_of
from chatd.tools.agents.models import ModelChoice, ModelOffer

log = structlog.get_logger()


class ChildModels:
    """An `AgentModels`, from the catalog as it is now: agents are started seldom, so nothing is cached."""

    def __init__(self, catalog_store: CatalogStore) -> None:
        self._store = catalog_store

    async def admit(self, name: str, user_id: UserId) -> str:
        return await self._store.admit(name, user_id) or name

    async def chosen_for(self, type_: AgentType, user_id: UserId) -> ModelChoice | None:
        """The user's own choice, where users may choose; then that of the deployment. What cannot be used is
        logged, and the next one counts.
        """
        deployment = await self._deployment()
        own: ChildModel | Followed = "deployment"
        if deployment.own_allowed:
            own = await self._own(user_id, type_)
        if own == "chat":
            return None
        for_all = deployment.general if type_ is AgentType.GENERAL else deployment.explore
        for choice in (own, for_all):
            if (
                isinstance(choice, ChildModel)
                and (usable := await self._usable(choice, type_, user_id)) is not None
            ):
                return usable
        return None

    async def usable(self, user_id: UserId) -> tuple[ModelOffer, ...]:
        inventory = await self._store.inventory()
        keys = await self._store.keyring(inventory, user_id)
        offers = []
        for model in inventory.models:
            provider = inventory.provider(model.provider_id)
            if provider is not None and why_unavailable(model, provider, keys[provider.id]) is None:
                offers.append(_offer(inventory, provider, model))
        return tuple(offers)

    async def _deployment(self) -> Subagents:
        try:
            return await self._store.documents.read(SUBAGENTS, Subagents)
        except msgspec.MsgspecError as error:
            log.warning("subagents.unreadable", why=str(error))
            return Subagents()

    async def _own(self, user_id: UserId, type_: AgentType) -> ChildModel | Followed:
        try:
            own = await self._store.documents.subagents_of(user_id)
        except msgspec.MsgspecError as error:
            log.warning("subagents.unreadable", user_id=user_id, why=str(error))
            return "deployment"
        return own.general if type_ is AgentType.GENERAL else own.explore

    async def _usable(self, choice: ChildModel, type_: AgentType, user_id: UserId) -> ModelChoice | None:
        try:
            name = await self._store.admit(choice.model, user_id)
        except BadInput as refusal:
            log.warning(
                "subagents.model_unusable", agent_type=type_.value, model=choice.model, why=refusal.code
            )
            return None
        return ModelChoice(model=name or choice.model, effort=choice.reasoning_effort)


def _offer(inventory: Inventory, provider: Provider, model: ModelConfig) -> ModelOffer:
    name = inventory.name_of(model)
    return ModelOffer(
        model=name,
        display_name=model.display_name or name,
        provider=provider.name,
        context_limit=model.context_limit,
        is_default=model.is_default,
        reasoning_efforts=efforts_of(provider, model),
    )
