"""Five hundred steps in a small context: many summaries, no overflow, no loop, and nothing forgotten."""

import sys
from collections.abc import AsyncGenerator, Sequence
from itertools import pairwise
from statistics import median

from chatd.domain.chat import Chat, Status
from chatd.domain.message import Role, Visibility
from chatd.providers.events import StreamEvent
from chatd.providers.model import Request
from tests.support.narrow import LIMIT_TOKENS, NarrowModel, NarrowWorld, Step, tell_of
from tests.worker.worlds.world import CHAT

STEPS = 500
TURNS = 5
FACT = "FACT: the harbour is Oslo."


class Counting(NarrowModel):
    """Counts the calls of Python functions from one of its requests to the next: work, and not time."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0
        # At each request: how many there were until then.
        self.calls: list[int] = []

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        sys.setprofile(None)
        self.calls.append(self._calls)
        events = [each async for each in super().stream(request)]
        sys.setprofile(self._count)
        for each in events:
            yield each

    def _count(self, _: object, event: str, __: object) -> None:
        self._calls += event == "call"

    def work_of_steps(self) -> list[int]:
        """Of each step that a reply began and another one followed, in their order."""
        steps = pairwise(zip(self.calls, self.requests, strict=True))
        return [after - before for (before, a), (after, b) in steps if not (a.then or b.then)]


async def rest(world: NarrowWorld) -> Chat:
    return await world.until(lambda chat: chat.status in (Status.WAITING, Status.ERROR), CHAT)


def test_a_chat_of_five_hundred_steps_stays_in_its_context_and_knows_what_was_said_first() -> None:
    async def story(world: NarrowWorld) -> None:
        model = world.model = Counting()
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

        # Nor does what a step takes. Between two turns this test looks at the whole chat, which is no step.
        work = model.work_of_steps()
        assert median(work[-STEPS // 10 :]) <= 1.02 * median(work[STEPS // 10 : STEPS // 5])

    try:
        tell_of(story)
    finally:
        sys.setprofile(None)
