"""A provider that keeps its answers is told only what is new; one that has lost them is told everything."""

from pathlib import Path

from chatd.domain.chat import Status
from tests.fake_provider.places import STORED
from tests.fake_provider.script import Call, answer, say, think
from tests.fake_provider.turns.replays import sent_back
from tests.fake_provider.turns.stories import THREE_STEPS
from tests.fake_provider.turns.world import ProviderWorld, working
from tests.fake_provider.wires.wire import opaque_in
from tests.traceability import proves


def previous(world: ProviderWorld) -> list[str | None]:
    """From which response each request went on."""
    return [asked.body.get("previous_response_id") for asked in world.asked]


def kinds(world: ProviderWorld, number: int) -> list[str]:
    return [item["type"] for item in world.asked[number - 1].body["input"]]


@proves("model-layer", 76)
async def test_each_step_goes_on_from_the_answer_before_and_says_only_what_is_new(folder: Path) -> None:
    async with working(folder) as world:
        world.fake.will_say(*THREE_STEPS, answer(say("You are welcome.")))

        await world.ask(STORED, "What makes the tides?")
        await world.ask(STORED, "Thank you.")

        assert world.fake.refused == []
        assert previous(world) == [None, "resp_given1", "resp_given2", "resp_given3"]
        assert kinds(world, 2) == ["function_call_output", "function_call_output"]
        assert kinds(world, 3) == ["function_call_output"]
        assert kinds(world, 4) == ["message"]
        assert all(asked.body["store"] is True for asked in world.asked)


@proves("model-layer", 75)
async def test_a_chain_that_is_broken_is_mended_within_the_same_attempt(folder: Path) -> None:
    calls = answer(think("Hm.", seal="one"), say("I look."), Call("a", "echo", {"text": "x"}))
    async with working(folder) as world:
        world.fake.will_say(
            calls, answer(think("So.", seal="two"), say("One.")), answer(say("Two.")), answer(say("Three."))
        )
        before = await world.ask(STORED, "First?")
        world.fake.responses.forget_everything_kept()

        chat = await world.ask(STORED, "Second?")
        await world.ask(STORED, "Third?")

        [(broken, words)] = world.fake.refused
        mended = world.asked[broken.number]
        assert "not found" in words
        # Everything is there again, but for what nobody has any more.
        assert "previous_response_id" not in mended.body
        assert [item["type"] for item in sent_back(mended)] == ["message", "function_call", "message"]
        assert list(opaque_in(mended.body)) == []
        # Nobody has noticed: it was one attempt, and it has succeeded.
        assert chat.status is Status.WAITING
        assert chat.versions.attempt == before.versions.attempt
        assert (await world.transcript())[-3:] == ["assistant: Two.", "user: Third?", "assistant: Three."]
        # And from there on it is a chain again.
        assert previous(world)[-1] == f"resp_given{mended.number}"
