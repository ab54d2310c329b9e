"""Whoever is told to stop stops: a thousand chats, each in the middle of an answer."""

import asyncio
import resource
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest

from chatd.domain.chat import Status
from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.interrupt import Interrupt
from tests.fake_provider.places import DIALECTS
from tests.fake_provider.script import answer, say
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.troubles import Silence
from tests.fake_provider.turns.world import working
from tests.traceability import proves

MANY = 1000
# A worker takes this many chats when it looks; more would have to wait until it looks again.
AT_ONCE = 20
# Five frames say "Well, I": not less, in whatever wire.
HALF = answer(
    *(say("Well", ", ", "I", " do not", " know", ".") for _ in range(3)), troubles=(Silence(after=7),)
)


@pytest.fixture(autouse=True)
def room_for_many_sockets() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * MANY)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def is_speaking(fake: FakeProvider, times: int) -> bool:
    return fake.speaking == times


@proves("model-layer", 13, 148)
async def test_a_thousand_chats_that_are_stopped_midway_leave_no_connection_and_no_task(folder: Path) -> None:
    fake = FakeProvider(otherwise=lambda asked: answer(say("Yes.")) if b"briefly" in asked.raw else HALF)
    # One user leaves some slots to others.
    async with working(folder, fake, slots=2 * MANY) as world:
        await world.ask(DIALECTS[0], "Say it briefly.")
        tasks = len(asyncio.all_tasks())
        chats = [ChatId(f"chat{number}") for number in range(MANY)]
        for begun in range(0, MANY, AT_ONCE):
            some = chats[begun : begun + AT_ONCE]
            places = zip(cycle(DIALECTS), some, strict=False)
            await asyncio.gather(
                *(world.begin(place, "Is it so?", chat_id=chat_id) for place, chat_id in places)
            )
            await fake.until(partial(is_speaking, fake, begun + AT_ONCE))
        for chat_id in chats:
            await world.until_heard("Well", chat_id)

        await asyncio.gather(*(world.tell(Interrupt(), chat_id=chat_id) for chat_id in chats))
        for chat_id in chats:
            await world.until(lambda chat: chat.status is Status.WAITING, chat_id)

        await fake.until(lambda: fake.open == 0)
        assert fake.speaking == 0
        await world.until_all_is_quiet(tasks)
        # What was said before stays said.
        said = [(await world.transcript(chat_id))[1] for chat_id in chats[:: MANY // 10]]
        assert all(line.startswith("assistant: Well") for line in said)
        # And everyone can be called again.
        for place in DIALECTS:
            await world.ask(place, "Say it briefly.", chat_id=ChatId(f"after-{place}"))
            assert (await world.transcript(ChatId(f"after-{place}")))[-1] == "assistant: Yes."
