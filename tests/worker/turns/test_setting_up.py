"""What a chat is set up with reaches the model: from its message on, and not before."""

from collections.abc import AsyncGenerator, Sequence

from msgspec.structs import replace

from chatd.agent.prompts.system_prompt import INSTRUCTIONS, SystemPrompt
from chatd.agent.services import AgentServices
from chatd.domain.chat import Status
from chatd.domain.ids import CallId
from chatd.domain.setup import ClientTool, Options, SetupChange
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.messages.send_message import When
from chatd.providers.events import StreamEvent
from chatd.providers.model import Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.database import Database
from chatd.storage.transactions.transact import create_chat
from tests.agent.prompts.test_system_prompt import says
from tests.support.scripted_only import ScriptedOnly
from tests.words import create, send, user
from tests.worker.worlds.world import World, tell

BRIEF = SetupChange(instructions="Be brief.")
LONG = SetupChange(instructions="Be long.", client_tools=(ClientTool(name="other"),))


class NotingModel(ScriptedModel):
    """Notes each request."""

    requests: list[Request]

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.requests.append(request)
        async for events in super().stream(request):
            yield events


class NotingWorld(World):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        model = NotingModel(self.clock)
        self.requests = model.requests = []
        self.models = ScriptedOnly(model)

    def services(self) -> AgentServices:
        parts = [says("server", "Of the server."), says("user", "Of the user."), INSTRUCTIONS]
        return replace(super().services(), prompts=SystemPrompt(parts).texts)

    def told(self) -> list[str]:
        """Of each model call: the last that the server said to it."""
        return [request.system[-1] for request in self.requests]

    def offered(self) -> list[bool]:
        """Of each model call: whether it knew the other client tool."""
        return ["other" in {tool.name for tool in request.tools} for request in self.requests]


def test_instructions_come_after_the_prompts_of_the_server_and_of_the_user() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, NotingWorld)
        await create_chat(world.store, replace(create(user("say Hi.")), setup=BRIEF))
        await world.until_idle()

        assert [r.system for r in world.requests] == [("Of the server.", "Of the user.", "Be brief.")]

    tell(story, make=NotingWorld)


def test_a_queued_message_sets_up_its_own_turn_and_not_the_one_that_runs() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, NotingWorld)
        script = 'stream 5 words at 10 per second\ncall echo {"text": "a"}\nnext\nsay Done.'
        await create_chat(world.store, replace(create(user(script)), setup=BRIEF))
        await world.until_said(" ")
        await world.tell(replace(send("say Next."), setup=LONG))
        await world.until_idle()

        assert world.told() == ["Be brief.", "Be brief.", "Be long."]
        assert world.offered() == [False, False, True]

    tell(story, make=NotingWorld)


def test_a_steered_message_sets_up_the_steps_that_follow_it() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, NotingWorld)
        script = 'stream 5 words at 10 per second\ncall echo {"text": "a"}'
        await create_chat(world.store, replace(create(user(script)), setup=BRIEF))
        await world.until_said(" ")
        await world.tell(replace(send("say Next.", When.STEER), setup=LONG))
        await world.until_idle()

        assert world.told() == ["Be brief.", "Be long."]
        assert world.offered() == [False, True]

    tell(story, make=NotingWorld)


def test_options_are_part_of_each_call_but_a_tool_is_insisted_on_only_once() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, NotingWorld)
        setup = SetupChange(options=Options(temperature=0.1, tool_choice="required"))
        script = 'call echo {"text": "a"}\nnext\nsay Done.'
        await create_chat(world.store, replace(create(user(script)), setup=setup))
        await world.until_idle()

        assert [(r.temperature, r.tool_choice) for r in world.requests] == [(0.1, "required"), (0.1, None)]

    tell(story, make=NotingWorld)


def test_a_client_without_a_deadline_may_take_longer_than_five_minutes() -> None:
    async def story(world: World) -> None:
        setup = SetupChange(client_tools=(ClientTool(name="tab"),), client_deadline_seconds=None)
        script = "call @t tab {}\nnext\nsay Opened."
        await create_chat(world.store, replace(create(user(script)), setup=setup))
        chat = await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        assert chat.deadline_at is None

        await world.clock.sleep(600)
        result = Result(call_id=CallId("t"), output="opened")
        await world.tell(SubmitActions(actions=(result,)))
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Opened."

    tell(story, make=NotingWorld)


def test_a_client_with_a_short_deadline_is_not_waited_for_longer() -> None:
    async def story(world: World) -> None:
        setup = SetupChange(client_tools=(ClientTool(name="tab"),), client_deadline_seconds=10)
        script = "call @t tab {}\nnext\nsay Then not."
        await create_chat(world.store, replace(create(user(script)), setup=setup))
        chat = await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        assert chat.deadline_at is not None
        await world.clock.sleep(15)
        await world.until_idle()

        assert (await world.transcript())[-2:] == ["tool: t failed", "assistant: Then not."]

    tell(story, make=NotingWorld)


def test_a_chat_whose_instructions_were_cleared_has_none() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, NotingWorld)
        await create_chat(world.store, replace(create(user("say Hi.")), setup=BRIEF))
        await world.until_idle()
        await world.tell(replace(send("say Again."), setup=SetupChange(instructions="")))
        await world.until_idle()

        assert world.told() == ["Be brief.", "Of the user."]

    tell(story, make=NotingWorld)
