"""The advisor: a second model that an agent asks in the middle of its turn."""

from msgspec.structs import replace

from chatd.agent.advisor.words import GUIDANCE, ROLE
from chatd.agent.services import AgentServices
from chatd.domain.chat import Status
from chatd.domain.ids import UserId
from chatd.domain.message import Effort, Role, text
from chatd.domain.part import Reasoning, ToolCall, ToolResult
from chatd.domain.setup import ClientTool, SetupChange
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.providers.model import Model
from chatd.records.recorder import Recorder
from chatd.records.run import Operation, RecordStatus
from chatd.records.store import list_runs, read_run
from chatd.storage.database import Database
from chatd.storage.transactions.transact import create_chat
from chatd.tools.advisor import NO_USES_LEFT, OUTPUT_TOKENS, QUESTION_CHARACTERS_MAX, Terms
from tests.traceability import proves
from tests.words import create, send, user
from tests.worker.worlds.advised import Advised, NotingModel, asking, limited, of
from tests.worker.worlds.world import World, tell

ADVICE = {
    "type": "advice",
    "advice": "Go small.",
    "advisor_model": "scripted/scripted",
    "remaining_uses": None,
}


@proves("advisor", 18, 19, 28)
def test_the_advisor_is_asked_without_tools_and_its_advice_is_the_result() -> None:
    async def story(world: World) -> None:
        await world.start(asking("say Go small."))
        await world.until_idle()

        assert await of(world).results() == [ADVICE]
        (request,) = of(world).asked
        assert (request.tools, request.tool_choice, request.max_output_tokens) == ((), None, OUTPUT_TOKENS)
        assert not request.is_kept
        assert request.system[-1] == ROLE
        assert (request.messages[-1].role, text(request.messages[-1])) == (Role.USER, "say Go small.")
        assert (await world.transcript())[-1] == "assistant: Done."

    tell(story, make=Advised)


@proves("advisor", 25, 27)
def test_it_is_handed_the_prompts_the_chat_and_the_words_of_the_step_that_asks() -> None:
    async def story(world: World) -> None:
        script = "think I am torn.\nsay Let me ask.\n" + asking("say Go small.")
        await create_chat(
            world.store, replace(create(user(script)), setup=SetupChange(instructions="Be brief."))
        )
        await world.until_idle()

        (request,) = of(world).asked
        assert request.system == ("I am Ann.", "Be brief.", ROLE)
        assert any(GUIDANCE in each.system for each in of(world).requests)
        first, step, question = request.messages
        assert (first.role, text(first)) == (Role.USER, script)
        assert (step.role, text(step)) == (Role.ASSISTANT, "[The agent thought: I am torn.]Let me ask.")
        assert text(question) == "say Go small."
        parts = [part for message in request.messages for part in message.content]
        assert not [part for part in parts if isinstance(part, ToolCall | ToolResult | Reasoning)]

    tell(story, make=Advised)


@proves("advisor", 5)
def test_without_a_limit_none_is_reported() -> None:
    async def story(world: World) -> None:
        await world.start(asking(*["say Go small."] * 5))
        await world.until_idle()

        assert await of(world).results() == [ADVICE] * 5

    tell(story, make=Advised)


@proves("advisor", 6)
def test_a_second_question_in_another_step_of_the_turn_reaches_the_limit() -> None:
    async def story(world: World) -> None:
        await world.start(asking("say Go small.", "say Go big."))
        chat = await world.until_idle()

        assert await of(world).results() == [
            {**ADVICE, "remaining_uses": 0},
            {"type": "limit_reached", "advice": NO_USES_LEFT, "remaining_uses": 0},
        ]
        assert len(of(world).asked) == 1
        assert chat.projection.advisor_uses == 1

    tell(story, make=limited(1))


@proves("advisor", 7, 8, 30)
def test_a_question_that_fails_or_brings_nothing_costs_no_use() -> None:
    async def story(world: World) -> None:
        await world.start(asking("fail auth", "end done", "say Go small."))
        chat = await world.until_idle()

        failed, empty, advice = await of(world).results()
        assert (failed["type"], failed["remaining_uses"]) == ("error", 1)
        assert (empty["type"], empty["remaining_uses"]) == ("error", 1)
        assert advice == {**ADVICE, "remaining_uses": 0}
        assert chat.projection.advisor_uses == 1
        assert (await world.transcript())[-1] == "assistant: Done."

    tell(story, make=limited(1))


@proves("advisor", 10)
def test_a_new_turn_begins_to_count_anew() -> None:
    async def story(world: World) -> None:
        await world.start(asking("say Go small."))
        await world.until_idle()
        await world.send(asking("say Go small."))
        await world.until_idle()

        assert await of(world).results() == [{**ADVICE, "remaining_uses": 0}] * 2

    tell(story, make=limited(1))


@proves("advisor", 11, 12)
def test_a_question_has_words_and_no_more_than_2000_characters_of_them() -> None:
    async def story(world: World) -> None:
        await world.start(asking("  \n", "say " + "a" * 5000))
        await world.until_idle()

        blank, _ = await of(world).results()
        assert "The question is missing" in blank["error"]
        (request,) = of(world).asked
        assert len(text(request.messages[-1])) == QUESTION_CHARACTERS_MAX == 2000

    tell(story, make=Advised)


@proves("advisor", 31)
def test_an_answer_of_thoughts_alone_names_why_it_stopped_and_what_came() -> None:
    async def story(world: World) -> None:
        await world.start(asking("think Hm.\nend length"))
        await world.until_idle()

        (result,) = await of(world).results()
        assert result["type"] == "error"
        assert "`length`" in result["error"]
        assert "1 reasoning" in result["error"]
        assert [charge.fate for charge in (await world.stored()).charges] == ["cut_off"]

    tell(story, make=Advised)


def test_advice_that_was_cut_off_says_so() -> None:
    async def story(world: World) -> None:
        await world.start(asking("say Go\nend length"))
        await world.until_idle()

        (result,) = await of(world).results()
        assert result["advice"].startswith("Go\n\n[The advice was cut off here")

    tell(story, make=Advised)


@proves("advisor", 29)
def test_a_failure_that_passes_is_tried_again_and_viewers_forget_what_they_saw() -> None:
    async def story(world: World) -> None:
        await world.start(asking("fail overloaded after 2 words once\nsay Go small, and then go on."))
        await world.until_idle()

        (result,) = await of(world).results()
        assert result["advice"] == "Go small, and then go on."
        shown = [(piece.result_delta, piece.result_reset) for piece in world.live_pieces()]
        assert shown == [("Go small,", False), ("Go small, and then go on.", True)]
        assert [(charge.operation, charge.fate) for charge in (await world.stored()).charges] == [
            ("advice", "failed"),
            ("advice", "used"),
        ]

    tell(story, make=Advised)


def test_the_pause_before_another_try_leaves_the_slot_to_others() -> None:
    async def story(world: World) -> None:
        await world.start(asking("fail overloaded once retry after 60\nsay Go small."))
        await world.until(lambda chat: chat.open_calls > 0)
        await world.clock.sleep(30)

        assert world.slots.work.free == 1
        await world.until_idle()
        assert await of(world).results() == [ADVICE]
        assert world.slots.work.idle

    tell(story, make=Advised, slots=1)


@proves("advisor", 32)
def test_an_interrupt_stops_the_call_and_the_tool_call_is_answered() -> None:
    async def story(world: World) -> None:
        await world.start(asking("stream 1000 words at 10 per second"))
        await world.until(lambda chat: chat.open_calls > 0)
        await world.clock.sleep(10)
        await world.tell(Interrupt())
        chat = await world.until_idle()

        stored = await world.stored()
        assert [(charge.operation, charge.fate) for charge in stored.charges] == [("advice", "interrupted")]
        (result,) = [part for m in stored.messages for part in m.content if isinstance(part, ToolResult)]
        assert result.is_error
        assert (chat.open_calls, chat.projection.advisor_uses) == (0, 0)
        assert world.slots.work.idle

    tell(story, make=Advised, slots=1)


@proves("tools", 9)
@proves("advisor", 33)
def test_beside_another_call_neither_runs_and_each_is_told_why() -> None:
    async def story(world: World) -> None:
        script = 'call advisor {"question": "say Go small."}\ncall echo {"text": "a"}\nnext\nsay Done.'
        await world.start(script)
        await world.until_idle()

        alone, skipped = await of(world).results()
        assert "must be the only call" in alone["error"]
        assert "advisor must be the only call" in skipped["error"]
        assert (of(world).asked, world.witness.lines) == ([], [])

    tell(story, make=Advised)


def test_two_questions_in_one_reply_are_both_refused_and_cost_no_use() -> None:
    async def story(world: World) -> None:
        call = 'call advisor {"question": "say Go small."}'
        await world.start(f"{call}\n{call}\nnext\n{call}\nnext\nsay Done.")
        await world.until_idle()

        *refused, advice = await of(world).results()
        assert ["must be the only call" in result["error"] for result in refused] == [True, True]
        assert advice == {**ADVICE, "remaining_uses": 0}
        assert len(of(world).asked) == 1

    tell(story, make=limited(1))


@proves("tools", 10)
def test_beside_a_call_of_the_client_neither_waits_for_it() -> None:
    async def story(world: World) -> None:
        script = 'call advisor {"question": "say Go small."}\ncall open_tab {}\nnext\nsay Done.'
        setup = SetupChange(client_tools=(ClientTool(name="open_tab"),))
        await create_chat(world.store, replace(create(user(script)), setup=setup))
        await world.until(lambda chat: chat.status is not Status.RUNNING)

        assert [list(result) for result in await of(world).results()] == [["error"], ["error"]]
        assert (await world.transcript())[-1] == "assistant: Done."
        assert of(world).asked == []

    tell(story, make=Advised)


@proves("tools", 11)
def test_beside_a_search_of_the_provider_it_runs() -> None:
    async def story(world: World) -> None:
        await world.start("search small steps\n" + asking("say Go small."))
        await world.until_idle()

        assert (await of(world).results())[-1] == ADVICE

    tell(story, make=Advised)


class Recorded(Advised):
    def services(self):  # type: ignore[no-untyped-def]
        async def wanted(_: object) -> bool:
            return True

        recorder = Recorder(db=self.db, clock=self.clock, wanted=wanted, retention_days=0)
        return replace(super().services(), recorder=recorder)


def test_each_try_is_charged_and_recorded_as_a_call_of_its_own() -> None:
    async def story(world: World) -> None:
        await world.start(asking("fail overloaded once\nusage 70 of 1000\nsay Go small."))
        chat = await world.until_idle()
        await world.clock.sleep(1)

        (charge,) = (await world.stored()).charges
        assert (charge.operation, charge.fate, charge.model) == ("advice", "used", "scripted/scripted")
        assert charge.usage is not None
        assert charge.usage.input_tokens == 70
        (run,) = await list_runs(world.db, chat)
        found = await read_run(world.db, chat, run.id)
        assert found is not None
        assert [(step.operation, step.status) for step in found[1]] == [
            (Operation.REPLY, RecordStatus.COMPLETED),
            (Operation.ADVICE, RecordStatus.ERROR),
            (Operation.ADVICE, RecordStatus.COMPLETED),
            (Operation.REPLY, RecordStatus.COMPLETED),
        ]
        assert "Go small." in str(found[1][2].response)

    tell(story, make=Recorded)


class Chosen(Advised):
    """Its advisor is another model than that of its chats."""

    terms = Terms(model="wise/one", effort=Effort.HIGH, max_output_tokens=100)

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.wise = NotingModel(self.clock)
        self.wise.name, self.wise.requests = "wise/one", []

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return self.wise if name == self.wise.name else await self.models.find(name, owner_id)

    def services(self) -> AgentServices:
        return replace(super().services(), models=self)


@proves("advisor", 13)
def test_a_model_of_its_own_is_asked_with_its_effort() -> None:
    async def story(world: World) -> None:
        await create_chat(world.store, create(replace(user(asking("say Go small.")), effort=Effort.LOW)))
        await world.until_idle()

        assert isinstance(world, Chosen)
        (request,) = world.wise.requests
        assert (request.effort, request.max_output_tokens) == (Effort.HIGH, 100)
        assert world.asked == []
        assert (await world.results())[0]["advisor_model"] == "wise/one"

    tell(story, make=Chosen)


class Gone(Advised):
    terms = Terms(model="other/model")


def test_a_model_that_cannot_be_found_is_an_error_and_the_turn_goes_on() -> None:
    async def story(world: World) -> None:
        await world.start(asking("say Go small."))
        await world.until_idle()

        (result,) = await of(world).results()
        assert (result["type"], "other/model" in result["error"]) == ("error", True)
        assert (await world.transcript())[-1] == "assistant: Done."

    tell(story, make=Gone)


@proves("advisor", 16)
def test_without_one_the_model_of_the_chat_thinks_as_hard_as_usual() -> None:
    async def story(world: World) -> None:
        await create_chat(world.store, create(replace(user(asking("say Go small.")), effort=Effort.HIGH)))
        await world.until_idle()

        (request,) = of(world).asked
        assert request.effort is None
        assert [each.effort for each in of(world).requests if each is not request] == [Effort.HIGH] * 2

    tell(story, make=Advised)


def test_a_message_that_steers_the_turn_begins_to_count_anew() -> None:
    async def story(world: World) -> None:
        await world.start(asking("say Go small.", "stream 10 words at 10 per second\nsay Go big."))
        await world.until(lambda chat: chat.projection.advisor_uses == 1)
        await world.tell(send(asking("say Go small."), When.STEER))
        await world.until_idle()

        assert (await of(world).results())[-1] == {**ADVICE, "remaining_uses": 0}

    tell(story, make=limited(1))
