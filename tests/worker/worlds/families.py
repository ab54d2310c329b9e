"""A world whose chats have agents: the tools for them, and which chats have which, as in a server."""

from typing import Any

from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.agent.toolboxes.toolboxes import Toolboxes, ToolGroup
from chatd.domain.call import Effect
from chatd.domain.chat import Chat
from chatd.domain.family import FamilyLimits
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json, ToolResult
from chatd.kit.codec import encode_text
from chatd.live.episodes.episode import ToolResultPiece
from chatd.storage.transactions.families import read_children
from chatd.tools.agents import agent_tools
from chatd.tools.agents.agents import Agents
from chatd.tools.agents.models import AgentModels, NoAgentModels
from chatd.tools.arguments import typed
from chatd.tools.rehearsal import Nothing, rehearsal_tools
from chatd.tools.tool import Setting, Tool
from tests.worker.worlds.world import CHAT, World


async def _done(_: Nothing, __: Setting) -> Json:
    return "done"


# It does not tell what it touches, so a person is asked for every call.
DELICATE = Tool(
    name="delicate", description="", arguments=typed(Nothing), effect=Effect.REPEATABLE, run=_done
)


class FamilyWorld(World):
    limits = FamilyLimits()
    agent_models: AgentModels = NoAgentModels()

    def services(self) -> AgentServices:
        store = self.store_of_workers()
        agents = Agents(store=store, clock=self.clock, models=self.agent_models, limits=self.limits)
        groups = [
            ToolGroup(tools=(*agent_tools(agents), DELICATE)),
            ToolGroup(tools=rehearsal_tools(self.witness, self.clock)),
        ]
        return replace(super().services(), toolbox_of=Toolboxes(groups).of, family_limits=self.limits)

    async def children(self, chat_id: ChatId = CHAT) -> tuple[Chat, ...]:
        """In the order in which they were created."""
        found = await read_children(self.db, chat_id)
        return tuple(sorted(found, key=lambda child: (child.created_at, child.title)))

    async def child(self, title: str, chat_id: ChatId = CHAT) -> Chat:
        return next(child for child in await self.children(chat_id) if child.title == title)

    async def result(self, call_id: str, chat_id: ChatId = CHAT) -> ToolResult:
        """The only result of this call."""
        messages = (await self.stored(chat_id)).messages
        results = [
            part for m in messages if not m.deleted for part in m.content if isinstance(part, ToolResult)
        ]
        (found,) = [part for part in results if part.tool_call_id == CallId(call_id)]
        return found

    def lose_hints(self) -> None:
        """No tool that waits hears anything any more."""
        silent = self.silent_store.hints
        self.bus.listening_to_chat = silent.listening_to_chat  # type: ignore[method-assign, assignment]

    def shown(self, call_id: str, chat_id: ChatId = CHAT) -> str:
        """What viewers were shown of this call while it ran."""
        episodes = self.board._of_chat.get(chat_id, [])
        parts = [spoken.part for episode in episodes for spoken in episode.spoken]
        pieces = [part for part in parts if isinstance(part, ToolResultPiece)]
        return "".join(part.result_delta for part in pieces if part.tool_call_id == call_id)

    async def told(self, call_id: str, chat_id: ChatId = CHAT) -> Any:
        return (await self.result(call_id, chat_id)).result


def call(name: str, args: dict[str, Any], call_id: str | None = None) -> str:
    """A line of a script."""
    named = f"@{call_id} " if call_id is not None else ""
    return f"call {named}{name} {encode_text(args)}"


def spawn(title: str, prompt: str = "say Done.", *, call_id: str | None = None, **more: Any) -> str:
    args = {"type": "general", "title": title, "prompt": prompt} | more
    return call("spawn_agent", args, call_id or title)


def wait(call_id: str = "wait", **args: Any) -> str:
    return call("wait_agent", args, call_id)


def slowly(seconds: float, words: str) -> str:
    """A model that says nothing for so long would be given up."""
    return script(call("rest", {"seconds": seconds}), f"say {words}")


def script(*steps: str | list[str]) -> str:
    """Each step is a line, or several."""
    return "\nnext\n".join("\n".join([step] if isinstance(step, str) else step) for step in steps)
