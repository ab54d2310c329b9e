"""Which models agents can have: what these tools need of the catalog, as a seam."""

from typing import Protocol

from msgspec import Struct

from chatd.domain.ids import UserId
from chatd.domain.message import Effort
from chatd.domain.profile.agent_type import AgentType


class ModelChoice(Struct, frozen=True, kw_only=True):
    """None: the model's own effort."""

    model: str
    effort: Effort | None = None


class ModelOffer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model as another model is told of it."""

    model: str
    display_name: str
    provider: str
    context_limit: int
    is_default: bool
    reasoning_efforts: tuple[Effort, ...] = ()


class AgentModels(Protocol):
    async def admit(self, name: str, user_id: UserId) -> str:
        """The full name of a model that this user can use now. Raises Refused with the reason."""
        ...

    async def chosen_for(self, type_: AgentType, user_id: UserId) -> ModelChoice | None:
        """What the user, or the deployment, has set for such agents, if it can be used. None: nothing."""
        ...

    async def usable(self, user_id: UserId) -> tuple[ModelOffer, ...]:
        """All that this user can use now."""
        ...


class NoAgentModels:
    """Every agent has the model of its parent."""

    async def admit(self, name: str, user_id: UserId) -> str:  # noqa: ARG002
        return name

    async def chosen_for(self, type_: AgentType, user_id: UserId) -> ModelChoice | None:  # noqa: ARG002
        return None

    async def usable(self, user_id: UserId) -> tuple[ModelOffer, ...]:  # noqa: ARG002
        return ()
