"""Five hundred steps in a small context: many summaries, no overflow, no loop, and nothing forgotten."""

from chatd.domain.chat import Chat, Status
from chatd.domain.message import Role, Visibility
from tests.support.narrow import LIMIT_TOKENS, NarrowModel, NarrowWorld, Step, tell_of
from tests.worker.worlds.world import CHAT

STEPS = 500
TURNS = 5
FACT = "FACT: the harbour is Oslo."


async def rest(world: NarrowWorld) -> Chat:
    return await world.until(lambda chat: chat.status in (Status.WAITING, Status.ERROR), CHAT)


def test_a_chat_of_five_hundred_steps_stays_in_its_context_and_knows_what_was_said_first() -> None:
    async def story(world: NarrowWorld) -> None:
        model = world.model = NarrowModel()
        for turn in range(TURNS):
            model.steps = [
                Step(says=f"Step {turn}.{n}.", calls=(("speak", {"bytes": 300 + n % 7 * 100}),))
                for n in range(STEPS // TURNS)
            ]
            if turn == 0:
                await world.start(f"{FACT} Take many steps.")
            else:
                await world.send(f"Question {turn}. " + "Take many more steps. " * 20)
            chat = await rest(world)
            assert chat.status is Status.WAITING, chat.last_error
        await world.send("What do you know?")
        await rest(world)

        messages = (await world.stored()).messages
        summaries = [m for m in messages if m.compressed and m.visibility is Visibility.MODEL]
        replies = [m for m in messages if m.role is Role.ASSISTANT and not m.compressed]
        assert len(replies) == STEPS + TURNS + 1
        assert len(summaries) > 30

        # It never overflows, by the provider's count and by our estimate, and so nothing is asked for twice.
        assert model.refused == 0
        assert max(model.asked) <= LIMIT_TOKENS
        estimates = [m.usage.context_estimate for m in replies if m.usage is not None]
        assert max(estimates) <= LIMIT_TOKENS
        assert len(model.asked) == len(replies) + len(summaries)

        # A summary is followed by steps: several, and not by another summary.
        places = [request.then != () for request in model.requests]
        between = [steps.count("s") for steps in "".join("S" if s else "s" for s in places).split("S")[1:]]
        assert min(between[:-1]) >= 3

        # What the user said at the very beginning has come through all of them.
        assert FACT in (await world.transcript())[-1]

        # What is sent, and in how many messages, does not grow with the chat.
        sent = [len(request.messages) for request in model.requests]
        early, late = sent[STEPS // 10 : STEPS // 5], sent[-STEPS // 10 :]
        assert max(late) <= 1.2 * max(early)

    tell_of(story)
