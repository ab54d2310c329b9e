"""A chat always goes on, over HTTP: each provider counts what it is sent, and refuses in its own words."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, FileId
from chatd.domain.message import Draft, Role
from chatd.domain.part import File, Text
from chatd.kit.clock import SystemClock
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.transact import create_chat
from tests.conftest import OWNER
from tests.fake_provider.narrow_provider import (
    BYTES_PER_TOKEN,
    LIMIT_TOKENS,
    SUMMARIES,
    TELLS,
    NarrowProvider,
)
from tests.fake_provider.places import DIALECTS, model_at
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.turns.world import ProviderWorld, working
from tests.fake_provider.wires.anthropic import Messages
from tests.fake_provider.wires.chat import Chat as ChatCompletions
from tests.fake_provider.wires.converse import Converse
from tests.support.narrow import SPEAK, Summarizing
from tests.words import answers, call, create, says, user
from tests.worker.worlds.world import CHAT

KIB = 1024
FACT = "FACT: the harbour is Oslo."
QUESTION = "FACT: the boat is blue. What do you know?"
FILLER = "lorem ipsum "
LONG = FileId("long")
# What an administrator has set; None: nothing.
CONFIGURED = {"right": LIMIT_TOKENS, "wrong": 50 * LIMIT_TOKENS, "none": None}


class HastyClock(SystemClock):
    """Pauses between attempts are not what is tried here."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 1000)


class NarrowWorld:
    def __init__(self, world: ProviderWorld, provider: NarrowProvider, place: str) -> None:
        self.world = world
        self.provider = provider
        self.place = place

    async def ask(self, words: str, chat_id: ChatId = CHAT, *, place: str | None = None) -> Chat:
        self.provider.newest = words[:40]
        return await self.world.ask(place or self.place, words, chat_id=chat_id)


@asynccontextmanager
async def narrow(
    folder: Path, provider: NarrowProvider, place: str, *, configured: str = "wrong", port: int = 0
) -> AsyncIterator[NarrowWorld]:
    limit = CONFIGURED[configured]
    fake = FakeProvider(otherwise=provider, port=port)
    async with working(folder, fake, context_limit=limit, tools=(SPEAK,), clock=HastyClock()) as world:
        yield NarrowWorld(world, provider, place)
        assert fake.refused == []


async def works_on_long_results(world: NarrowWorld) -> None:
    world.provider.calls = [256 * KIB] * 3
    await world.ask(f"{FACT} Read it all.")


async def is_sent_a_message_of_eight_windows(world: NarrowWorld) -> None:
    await world.ask(f"{FACT} " + FILLER * (8 * LIMIT_TOKENS * BYTES_PER_TOKEN // len(FILLER)))


async def is_sent_a_file_of_eight_windows(world: NarrowWorld) -> None:
    data = (FILLER * (8 * LIMIT_TOKENS * BYTES_PER_TOKEN // len(FILLER))).encode()
    await add_file(
        world.world.db, file_id=LONG, owner_id=OWNER, name="long.txt", media_type="text/plain", data=data
    )
    file = File(file_id=LONG, media_type="text/plain", name="long.txt")
    words = Text(text=f"{FACT} Read it all.")
    world.provider.newest = FACT
    await create_chat(
        world.world.store,
        create(Draft(role=Role.USER, content=(words, file), model=model_at(world.place))),
    )
    await world.world.until(lambda chat: chat.status is not Status.RUNNING)


async def is_imported(world: NarrowWorld) -> None:
    """As a history that another server has had."""
    said: list[Draft] = [user(f"{FACT} Hello.")]
    for n in range(30):
        said += [says("Reading.", call(f"c{n}")), answers(f"c{n}", FILLER * 60), user(f"And {n}?")]
    said[-1] = replace(said[-1], model=model_at(world.place))
    world.provider.newest = "And 29?"
    await create_chat(world.world.store, create(*said))
    await world.world.until(lambda chat: chat.status is not Status.RUNNING)


async def is_imported_with_many_windows_of_words(world: NarrowWorld) -> None:
    """Most of it has to be left out, and what the user began with must not be."""
    said: list[Draft] = []
    for n in range(100):
        said += [user(f"{FACT if n == 0 else 'More'} {n}. " + FILLER * 40), says("Yes. " + FILLER * 40)]
    said.append(replace(user("And now?"), model=model_at(world.place)))
    world.provider.newest = "And now?"
    await create_chat(world.world.store, create(*said))
    await world.world.until(lambda chat: chat.status is not Status.RUNNING)


async def is_switched_to_a_small_model(world: NarrowWorld) -> None:
    world.provider.calls = [30 * KIB] * 3
    await world.ask(f"{FACT} Read it all.", place=WIDE)
    await world.ask("Now with the other one.")


Story = Callable[[NarrowWorld], Awaitable[None]]
STORIES: tuple[Story, ...] = (
    works_on_long_results,
    is_sent_a_message_of_eight_windows,
    is_sent_a_file_of_eight_windows,
    is_imported,
    is_imported_with_many_windows_of_words,
    is_switched_to_a_small_model,
)
# Behind this wire is a model with a large context.
WIDE = ChatCompletions.name
# Every provider meets every limit; one that tells its own and one that does not meet bad summarizers too.
CASES = [(place, configured, Summarizing.WELL) for place in DIALECTS for configured in CONFIGURED]
CASES += [
    (place, "wrong", way)
    for place in (Messages.name, Converse.name)
    for way in SUMMARIES
    if way is not Summarizing.WELL
]
# Refused prompts of a chat: while it works on what is long, and after that.
TOLD_MAX, UNTOLD_MAX = (1, 0), (2, 1)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
@pytest.mark.parametrize(("place", "configured", "summarizing"), CASES)
async def test_a_chat_goes_on_whatever_its_provider_refuses(
    folder: Path, story: Story, place: str, configured: str, summarizing: Summarizing
) -> None:
    provider = NarrowProvider(summarizing=summarizing, wide=frozenset({WIDE}))
    async with narrow(folder, provider, place, configured=configured) as world:
        await story(world)
        before = provider.refused
        chat = await world.ask(QUESTION)

        assert chat.status is Status.WAITING, chat.last_error
        known = (await world.world.transcript())[-1]
        assert FACT in known
        assert "FACT: the boat is blue." in known
        assert provider.missing == []
        # The first tells the limit; or, if that is known, how wrong our estimate was.
        first_max, later_max = TOLD_MAX if place in TELLS else UNTOLD_MAX
        assert before <= first_max
        assert provider.refused - before <= later_max


@pytest.mark.parametrize(
    ("place", "known_max"),
    [(Messages.name, LIMIT_TOKENS), (Converse.name, 2 * LIMIT_TOKENS - 1)],
    ids=["it tells its limit", "it tells none"],
)
async def test_a_provider_that_has_refused_a_prompt_refuses_none_of_another_chat_after_a_restart(
    folder: Path, place: str, known_max: int
) -> None:
    """What it told of its limit, or what we guess of it, is kept for the model."""
    provider = NarrowProvider()
    async with narrow(folder, provider, place) as world:
        provider.calls = [4 * KIB] * 6
        await world.ask(f"{FACT} Read it all.")
        assert provider.refused > 0
        port = urlsplit(world.world.fake.address).port or 0
    provider.refused = 0
    async with narrow(folder, provider, place, port=port) as world:
        model = await world.world.registry.find(model_at(place), OWNER)
        assert model.context_limit <= known_max
        provider.calls = [4 * KIB] * 6
        chat = await world.ask(f"{FACT} Read it all.", ChatId("other"))

        assert chat.status is Status.WAITING
        assert provider.refused == 0


async def test_a_guess_is_raised_when_the_model_takes_a_larger_prompt(folder: Path) -> None:
    provider = NarrowProvider()
    async with narrow(folder, provider, Converse.name) as world:
        registry = world.world.registry
        model = await registry.find(model_at(Converse.name), OWNER)
        await registry.note_refused(model, OWNER, stated=0, guessed=1_000)
        assert (await registry.find(model.name, OWNER)).context_limit == 1_000
        # It is as long as we think it may be, and the provider counts it as longer.
        await world.ask(f"{FACT} " + "x" * 3_000)

        assert (await registry.find(model.name, OWNER)).context_limit > 1_000
