"""message_agent: say something more to an agent, or stop what it does for it."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.chat import Status
from chatd.domain.family import SpawnCall, child_id_of
from chatd.domain.message import Draft, Role
from chatd.domain.part import Json, Text
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.errors import KeyUsed, Refused
from chatd.storage.transactions.transact import transact
from chatd.tools.agents.agents import Agents, refused
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, ToolError, touches_nothing


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    chat_id: Annotated[str, Meta(min_length=1, description="The agent.")]
    message: Annotated[str, Meta(description="What it is to do next, or to know.")]
    interrupt: Annotated[
        bool, Meta(description="Stop what it does now. Otherwise a busy agent hears it after its turn.")
    ] = False


def message_agent(agents: Agents) -> Tool[Args]:
    return Tool(
        name="message_agent",
        description=(
            "Send a message to an agent of this chat. One that is done begins anew with it; a busy one hears "
            "it afterwards, in order. Read what comes of it with wait_agent."
        ),
        arguments=typed(Args),
        # The message has a key that follows from the call: it is said once, however often the call runs.
        effect=Effect.REPEATABLE,
        run=_MessageAgent(agents).run,
        touches=touches_nothing,
    )


class _MessageAgent:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def run(self, args: Args, setting: Setting) -> Json:
        words = args.message.strip()
        if not words:
            raise ToolError("The message is required, and it is blank. Nothing was sent.")
        agents = self._agents
        child = await agents.child(setting, args.chat_id)
        await agents.check_spent(setting)
        command = SendMessage(
            message=Draft(
                role=Role.USER, content=(Text(text=words),), created_by=child.owner_id, key=_key(setting)
            ),
            when=When.INTERRUPT if args.interrupt else When.QUEUE,
        )
        try:
            done = await transact(agents.store, child.id, command)
        except KeyUsed:
            # The call was run before, and its answer was lost.
            return await agents.describe(await agents.child(setting, args.chat_id)) | {"interrupted": False}
        except Refused as refusal:
            raise refused(refusal, child) from refusal
        return await agents.describe(done.chat) | {"interrupted": done.chat.status is Status.INTERRUPTING}


def _key(setting: Setting) -> str:
    """Derived as the id of a child is, so that no key that a user thinks of is the same."""
    call = SpawnCall(parent_id=setting.chat_id, message_id=setting.message_id, call_id=setting.call_id)
    return f"call {child_id_of(call)}"
