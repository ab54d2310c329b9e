"""list_agents: the agents of this chat."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.kit.clock import rfc3339
from chatd.tools.agents.agents import Agents
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, touches_nothing

LIMIT = 10
LIMIT_MAX = 50


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    limit: Annotated[int, Meta(description=f"How many at most: {LIMIT} by default, up to {LIMIT_MAX}.")] = (
        LIMIT
    )
    offset: Annotated[int, Meta(description="How many to pass over.")] = 0


def list_agents(agents: Agents) -> Tool[Args]:
    return Tool(
        name="list_agents",
        description=(
            "List the agents of this chat with what they do, the one that was changed last first. For their "
            "reports call wait_agent."
        ),
        arguments=typed(Args),
        effect=Effect.READ,
        run=_ListAgents(agents).run,
        touches=touches_nothing,
    )


class _ListAgents:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def run(self, args: Args, setting: Setting) -> Json:
        limit, offset = min(max(args.limit, 1), LIMIT_MAX), max(args.offset, 0)
        await self._agents.parent(setting)
        children = await self._agents.children(setting)
        page = children[offset : offset + limit]
        return {
            "agents": [
                await self._agents.describe(child)
                | {"created_at": rfc3339(child.created_at), "updated_at": rfc3339(child.updated_at)}
                for child in page
            ],
            "total": len(children),
            "returned": len(page),
            "offset": offset,
            "has_more": offset + len(page) < len(children),
        }
