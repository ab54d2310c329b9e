"""What the agents of a server have beyond the tools that do nothing: agents, an advisor, questions, texts."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.agent.texts.services import TextModels, TextServices
from chatd.agent.texts.titles import Titles
from chatd.agent.texts.writer import TextWriter
from chatd.agent.toolboxes.toolboxes import Toolboxes, ToolGroup
from chatd.catalog.documents import Texts
from chatd.domain.family import FamilyLimits
from chatd.tools.advisor import Terms, advisor
from chatd.tools.agents import agent_tools
from chatd.tools.agents.agents import Agents
from chatd.tools.agents.models import NoAgentModels
from chatd.tools.asking import asking_tools
from chatd.tools.tool import AnyTool
from chatd.worker.text_queue import TextQueue

# In a turn.
ADVICE_MAX = 1


class Equipment(Struct, frozen=True, kw_only=True):
    services: AgentServices
    # Runs beside the worker.
    beside: Callable[[], Coroutine[Any, Any, None]]
    titles: Titles | None = None


Equip: TypeAlias = Callable[[AgentServices, Sequence[AnyTool]], Equipment]


async def _nothing() -> None:
    pass


def as_it_is(services: AgentServices, tools: Sequence[AnyTool]) -> Equipment:
    return Equipment(services=services, beside=_nothing)


def for_long_work(services: AgentServices, tools: Sequence[AnyTool]) -> Equipment:
    """With the tools and the writer of texts of a server, which chats have by their kind."""
    agents = Agents(store=services.store, clock=services.clock, models=NoAgentModels(), limits=FamilyLimits())
    ours = (*tools, *asking_tools(), *agent_tools(agents), advisor(Terms(uses_max=ADVICE_MAX)))
    texts = _text_services(services)
    queue = TextQueue(TextWriter(texts).write)
    toolboxes = Toolboxes([ToolGroup(tools=ours)])
    equipped = replace(services, toolbox_of=toolboxes.of, turn_over=queue.note)
    return Equipment(services=equipped, beside=queue.run, titles=Titles(texts))


def _text_services(services: AgentServices) -> TextServices:
    async def wanted() -> Texts:
        return Texts()

    return TextServices(
        store=services.store,
        models=cast("TextModels", services.models),
        wanted=wanted,
        clock=services.clock,
        reply_bytes=services.board.reply_bytes,
    )
