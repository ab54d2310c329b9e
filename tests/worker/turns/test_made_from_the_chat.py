"""The toolbox and the prompts are made from the chat, once for each turn."""

from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.setup import Setup
from chatd.providers.model import Model
from chatd.storage.database import Database
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.toolbox import Toolbox
from tests.words import send
from tests.worker.worlds.world import CHAT, World, tell

WITHOUT_TOOLS = ChatId("without tools")


class NotedWorld(World):
    """One of the chats has no active tools; what is asked for is noted."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.toolboxes: list[str] = []
        self.prompted: list[str] = []

    def services(self) -> AgentServices:
        return replace(super().services(), toolbox_of=self.toolbox_of, prompts=self.prompts)

    async def toolbox_of(self, chat: Chat, model: Model, setup: Setup) -> Toolbox:
        self.toolboxes.append(f"{chat.id} with {model.provider}")
        await self.clock.sleep(0.01)
        tools = rehearsal_tools(self.witness, self.clock)
        return Toolbox(tools, setup.client_tools, active=() if chat.id == WITHOUT_TOOLS else None)

    async def prompts(self, chat: Chat, model: Model, setup: Setup) -> tuple[str, ...]:
        self.prompted.append(f"{chat.id} with {model.provider}")
        await self.clock.sleep(0.01)
        return (f"This is {chat.id}.",)


ROUNDS = 'call echo {"text": "a"}\nnext\ncall echo {"text": "b"}\nnext\nsay Done.'


def test_a_turn_of_many_steps_makes_its_toolbox_and_prompts_once() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, NotedWorld)
        await world.start(ROUNDS)
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Done."
        assert world.toolboxes == world.prompted == ["chat with scripted"]

    tell(story, make=NotedWorld)


def test_the_next_turn_makes_them_anew() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, NotedWorld)
        await world.start("stream 10 words at 10 per second")
        await world.until_said(" ")
        # Queued: the same runner goes on with it.
        await world.tell(send(ROUNDS))
        await world.until_idle()

        assert world.toolboxes == world.prompted == ["chat with scripted"] * 2

    tell(story, make=NotedWorld)


def test_which_tools_may_be_used_depends_on_the_chat() -> None:
    async def story(world: World) -> None:
        for chat_id in (CHAT, WITHOUT_TOOLS):
            await world.start('call echo {"text": "a"}\nnext\nsay Done.', chat_id=chat_id)
            await world.until_idle(chat_id)

        assert len(world.witness.lines) == 1

    tell(story, make=NotedWorld)
