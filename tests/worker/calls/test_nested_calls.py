"""A tool that calls a model in the middle of a step: with a charge and a record of its own."""

import json

from msgspec.structs import replace

from chatd.agent.calls.nested_call import NESTED_CALLS_MAX
from chatd.agent.services import AgentServices
from chatd.domain.ids import UserId
from chatd.domain.part import Json, ToolResult
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.usage.charge import Charge
from chatd.records.recorder import Recorder
from chatd.records.run import Operation, RecordStatus
from chatd.records.store import list_runs, read_run
from tests.worker.calls.test_resting import until_begun
from tests.worker.worlds.world import World, tell


def asking(*scripts: str) -> str:
    """A reply whose calls each have the model follow a script, and a last word."""
    calls = [f"call @c{n} ask_model {json.dumps({'text': script})}" for n, script in enumerate(scripts)]
    return "\n".join([*calls, "next", "say Done."])


async def charges(world: World) -> list[Charge]:
    return list((await world.stored()).charges)


async def results(world: World) -> dict[str, Json]:
    parts = [part for message in (await world.stored()).messages for part in message.content]
    return {part.tool_call_id: part.result for part in parts if isinstance(part, ToolResult)}


def test_a_tool_is_given_the_answer_and_the_chat_is_charged_for_the_call() -> None:
    async def story(world: World) -> None:
        await world.start(asking("usage 70 of 1000\nsay Yes."))
        chat = await world.until_idle()

        assert await results(world) == {"c0": {"text": "Yes."}}
        (charge,) = await charges(world)
        assert (charge.operation, charge.fate, charge.model) == ("tool", "used", "scripted/scripted")
        assert charge.usage is not None
        assert charge.usage.prompt_tokens == 70
        replies = [message.usage for message in (await world.stored()).messages if message.usage is not None]
        assert len(replies) == 2
        assert chat.totals.usage.input_tokens == 70 + sum(usage.input_tokens for usage in replies)

    tell(story)


def test_each_call_of_a_batch_has_its_own_charge() -> None:
    async def story(world: World) -> None:
        await world.start(asking(*["usage 70 of 1000\nsay Yes."] * 3))
        await world.until_idle()

        noted = [
            (charge.number, charge.usage and charge.usage.input_tokens) for charge in await charges(world)
        ]
        assert noted == [(0, 70), (1, 70), (2, 70)]

    tell(story)


class Recorded(World):
    def services(self) -> AgentServices:
        async def wanted(_: UserId) -> bool:
            return True

        recorder = Recorder(db=self.db, clock=self.clock, wanted=wanted, retention_days=0)
        return replace(super().services(), recorder=recorder)


def test_the_calls_of_tools_are_steps_of_their_own_in_the_records() -> None:
    async def story(world: World) -> None:
        await world.start(asking("wait 2\nusage 70 of 1000\nsay Slow.", "say Quick."))
        chat = await world.until_idle()
        await world.clock.sleep(1)

        (run,) = await list_runs(world.db, chat)
        found = await read_run(world.db, chat, run.id)
        assert found is not None
        run, steps = found
        assert [(step.number, step.operation, step.status) for step in steps] == [
            (1, Operation.REPLY, RecordStatus.COMPLETED),
            (2, Operation.TOOL, RecordStatus.COMPLETED),
            (3, Operation.TOOL, RecordStatus.COMPLETED),
            (4, Operation.REPLY, RecordStatus.COMPLETED),
        ]
        assert "Slow." in str(steps[1].response)
        assert "Quick." in str(steps[2].response)
        # Only replies become messages, and only messages are the tip of what a model was sent.
        assert [step.assistant_message_id is not None for step in steps] == [True, False, False, True]
        assert run.tip_message_id > run.trigger_message_id
        assert steps[1].usage is not None
        assert run.summary.usage.input_tokens == sum(step.usage.input_tokens for step in steps if step.usage)

    tell(story, make=Recorded)


def test_a_model_that_fails_a_tool_is_a_result_and_the_turn_goes_on() -> None:
    async def story(world: World) -> None:
        await world.start(asking("fail overloaded", "usage 70 of 1000\nend done"))
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Done."
        assert all("error" in result for result in (await results(world)).values())
        assert [charge.fate for charge in await charges(world)] == ["empty"]

    tell(story)


def test_an_interrupt_in_the_middle_of_the_answer_is_charged() -> None:
    async def story(world: World) -> None:
        await world.start(asking("stream 1000 words at 10 per second"))
        await until_begun(world, 1)
        await world.clock.sleep(10)
        await world.tell(Interrupt())
        await world.until_idle()

        assert [(charge.operation, charge.fate) for charge in await charges(world)] == [
            ("tool", "interrupted")
        ]
        assert world.slots.work.idle

    tell(story, slots=1)


def test_the_slot_is_free_for_others_until_the_provider_answers() -> None:
    async def story(world: World) -> None:
        await world.start(asking("wait 30\nsay Late."))
        await until_begun(world, 1)
        await world.clock.sleep(1)

        assert world.slots.work.free == 1
        await world.until_idle()
        assert await results(world) == {"c0": {"text": "Late."}}
        assert world.slots.work.idle

    tell(story, slots=1)


def test_the_calls_of_one_batch_are_bounded() -> None:
    async def story(world: World) -> None:
        await world.start(asking(*["say Yes."] * (NESTED_CALLS_MAX + 1)))
        await world.until_idle()

        failed = [result for result in (await results(world)).values() if "error" in result]
        assert len(failed) == 1
        assert f"{NESTED_CALLS_MAX} times" in failed[0]["error"]

    tell(story)
