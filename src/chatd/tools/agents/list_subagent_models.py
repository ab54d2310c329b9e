"""list_subagent_models: which models an agent can be started with."""

import msgspec
import structlog
from msgspec import Struct

from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.agents.agents import Agents
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, ToolError, touches_nothing

log = structlog.get_logger()


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    pass


def list_subagent_models(agents: Agents) -> Tool[Args]:
    return Tool(
        name="list_subagent_models",
        description="List the models that spawn_agent can start an agent with.",
        arguments=typed(Args),
        effect=Effect.READ,
        run=_ListSubagentModels(agents).run,
        touches=touches_nothing,
    )


class _ListSubagentModels:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def run(self, _: Args, setting: Setting) -> Json:
        parent = await self._agents.parent(setting)
        try:
            usable = await self._agents.models.usable(parent.owner_id)
        except Exception as error:
            log.exception("agent_models.unreadable", chat_id=parent.id)
            raise ToolError(
                "The models could not be listed. Leave the model out: agents have yours."
            ) from error
        return {"models": [msgspec.to_builtins(each) for each in usable]}
