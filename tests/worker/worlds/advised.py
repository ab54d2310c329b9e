"""A world whose agents have an advisor, and what its model was asked is noted."""

import json
from collections.abc import AsyncGenerator, Sequence

from msgspec.structs import replace

from chatd.agent.advisor.words import GUIDANCE, ROLE
from chatd.agent.prompts.system_prompt import INSTRUCTIONS, SystemPrompt
from chatd.agent.services import AgentServices
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.part import Json, ToolResult
from chatd.domain.setup import Setup
from chatd.providers.events import StreamEvent
from chatd.providers.model import Model, Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.database import Database
from chatd.tools.advisor import Terms, advisor
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.toolbox import Toolbox
from tests.agent.prompts.test_system_prompt import says
from tests.support.scripted_only import ScriptedOnly
from tests.worker.worlds.world import CHAT, World


class NotingModel(ScriptedModel):
    requests: list[Request]

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.requests.append(request)
        async for events in super().stream(request):
            yield events


class Advised(World):
    terms = Terms()

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        model = NotingModel(self.clock)
        self.requests = model.requests = []
        self.models = ScriptedOnly(model)

    def services(self) -> AgentServices:
        parts = [says("user", "I am Ann."), says("advisor", GUIDANCE), INSTRUCTIONS]
        return replace(super().services(), toolbox_of=self._toolbox_of, prompts=SystemPrompt(parts).texts)

    async def _toolbox_of(self, _: Chat, __: Model, setup: Setup) -> Toolbox:
        tools = (*rehearsal_tools(self.witness, self.clock), advisor(self.terms))
        return Toolbox(tools, setup.client_tools)

    @property
    def asked(self) -> list[Request]:
        """Of the advisor."""
        return [request for request in self.requests if request.system and request.system[-1] == ROLE]

    async def results(self, chat_id: ChatId = CHAT) -> list[Json]:
        """Of all calls, in the order in which they stand in the history."""
        parts = [part for message in (await self.stored(chat_id)).messages for part in message.content]
        return [part.result for part in parts if isinstance(part, ToolResult)]


def of(world: World) -> Advised:
    assert isinstance(world, Advised)
    return world


def limited(uses_max: int) -> type[Advised]:
    class Limited(Advised):
        terms = Terms(uses_max=uses_max)

    return Limited


def asking(*questions: str) -> str:
    """A turn that asks one question in each step. A question is a script, which the advisor follows."""
    steps = [f"call advisor {json.dumps({'question': question})}" for question in questions]
    return "\nnext\n".join([*steps, "say Done."])
