"""interrupt_agent: stop an agent. What it has said is kept, and it can be given something else to do."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import NotAllowed
from chatd.storage.transactions.transact import transact
from chatd.tools.agents.agents import Agents, refused
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, touches_nothing

STOPPED = "The agent that this one works for has stopped it."


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    chat_id: Annotated[str, Meta(min_length=1, description="The agent.")]


def interrupt_agent(agents: Agents) -> Tool[Args]:
    return Tool(
        name="interrupt_agent",
        description=(
            "Stop an agent of this chat. What it has said is kept, messages that wait are heard next, and "
            "message_agent gives it something else to do."
        ),
        arguments=typed(Args),
        effect=Effect.REPEATABLE,
        run=_InterruptAgent(agents).run,
        touches=touches_nothing,
    )


def close_agent(agents: Agents) -> Tool[Args]:
    """The same under the name that some models were trained with. It can be called, and is not told of."""
    return replace(interrupt_agent(agents), name="close_agent", offered=False)


class _InterruptAgent:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def run(self, args: Args, setting: Setting) -> Json:
        agents = self._agents
        child = await agents.child(setting, args.chat_id)
        try:
            done = await transact(agents.store, child.id, Interrupt(reason=STOPPED))
        except NotAllowed as refusal:
            now = await agents.child(setting, args.chat_id)
            if now.archived:
                raise refused(refusal, now) from refusal
            # It does nothing that could be stopped.
            return await agents.describe(now) | {"interrupted": False}
        return await agents.describe(done.chat) | {"interrupted": True}
