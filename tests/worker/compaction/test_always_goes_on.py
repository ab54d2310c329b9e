"""A chat always goes on, however long it is, whatever its model takes, and whoever cannot summarize it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import FileId
from chatd.domain.message import Draft, Usage
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.transact import create_chat
from tests.support.narrow import LIMIT_TOKENS, NarrowModel, NarrowWorld, Step, Summarizing, tell_of
from tests.words import OWNER, answers, call, create, says, send, user

KIB = 1024
FACT = "FACT: the harbour is Oslo."

Story = Callable[[NarrowWorld], Awaitable[None]]


async def rest(world: NarrowWorld) -> Chat:
    return await world.until(lambda chat: chat.status in (Status.WAITING, Status.ERROR))


async def works_on_long_results(world: NarrowWorld) -> None:
    """Each result is many times what the model takes."""
    world.model.steps = [Step(calls=(("speak", {"bytes": 256 * KIB}),)) for _ in range(4)]
    await world.start(f"{FACT} Read it all.")
    await rest(world)


async def works_in_many_small_steps(world: NarrowWorld) -> None:
    world.model.steps = [Step(says="On it.", calls=(("speak", {"bytes": 900}),)) for _ in range(30)]
    await world.start(f"{FACT} Take small steps.")
    await rest(world)


async def is_sent_a_message_of_eight_windows(world: NarrowWorld) -> None:
    await world.start(f"{FACT} " + "lorem ipsum " * (8 * LIMIT_TOKENS * 4 // 12))
    await rest(world)


async def is_sent_a_file_of_eight_windows(world: NarrowWorld) -> None:
    data = b"lorem ipsum " * (8 * LIMIT_TOKENS * 4 // 12)
    await add_file(
        world.db, file_id=FileId("long"), owner_id=OWNER, name="a.txt", media_type="text/plain", data=data
    )
    await create_chat(world.store, create(user(f"{FACT} Read it.", file="long")))
    await rest(world)


async def is_sent_a_long_message_in_the_middle(world: NarrowWorld) -> None:
    await world.start(f"{FACT} Hello.")
    await rest(world)
    await world.send("lorem ipsum " * (8 * LIMIT_TOKENS * 4 // 12))
    await rest(world)


async def calls_with_long_arguments(world: NarrowWorld) -> None:
    world.model.steps = [Step(calls=(("nothing", {"text": "x" * 100 * KIB}),)) for _ in range(3)]
    await world.start(f"{FACT} Write it all.")
    await rest(world)


async def is_imported(world: NarrowWorld) -> None:
    """As a history that another server has had."""
    said: list[Draft] = [user(f"{FACT} Hello.")]
    for n in range(40):
        said += [says("Reading.", call(f"c{n}")), answers(f"c{n}", "lorem ipsum " * 100), user(f"And {n}?")]
    await create_chat(world.store, create(*said))
    await rest(world)


async def is_switched_to_a_small_model(world: NarrowWorld) -> None:
    small = world.model
    world.other = world.model
    world.model = NarrowModel("wide/one", limit=200_000)
    world.model.steps = [Step(calls=(("speak", {"bytes": 30 * KIB}),)) for _ in range(3)]
    await world.start(f"{FACT} Read it all.")
    await rest(world)
    second = send("Now with the other one.")
    await world.tell(replace(second, message=replace(second.message, model=small.name)))
    await rest(world)
    world.model = small


STORIES: tuple[Story, ...] = (
    works_on_long_results,
    works_in_many_small_steps,
    is_sent_a_message_of_eight_windows,
    is_sent_a_file_of_eight_windows,
    is_sent_a_long_message_in_the_middle,
    calls_with_long_arguments,
    is_imported,
    is_switched_to_a_small_model,
)
# What an administrator has set for a model that takes LIMIT_TOKENS; 0: nothing.
CONFIGURED = {"right": LIMIT_TOKENS, "wrong": 50 * LIMIT_TOKENS, "none": 0}
# Everyone who can summarize has each limit, and whoever cannot has a wrong one.
MODELS = [(configured, Summarizing.WELL) for configured in CONFIGURED]
MODELS += [("wrong", summarizing) for summarizing in Summarizing if summarizing is not Summarizing.WELL]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
@pytest.mark.parametrize(("configured", "summarizing"), MODELS)
def test_a_chat_goes_on_and_knows_what_was_said(
    story: Story, configured: str, summarizing: Summarizing
) -> None:
    async def played(world: NarrowWorld) -> None:
        world.model = NarrowModel(configured=CONFIGURED[configured], summarizing=summarizing)
        await story(world)
        await world.send("FACT: the boat is blue. What do you know?")
        chat = await rest(world)

        model = world.model
        assert chat.status is Status.WAITING, chat.last_error
        known = (await world.transcript())[-1]
        assert "FACT: the boat is blue." in known
        assert FACT in known
        # The first one tells the limit, if it was not known.
        assert model.refused <= (0 if configured == "right" else 1)

    tell_of(played)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("bytes_per_token", [1.2, 6.0])
def test_a_model_that_counts_in_its_own_way_and_reports_nothing_is_answered_in_the_end(
    story: Story,
    bytes_per_token: float,
    tells: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """With neither a limit nor a count to go by, two refused prompts are the price, and perhaps one later."""

    async def played(world: NarrowWorld) -> None:
        world.model = NarrowModel(
            configured=0, tells=tells, reports=False, bytes_per_token=bytes_per_token, limit=8_000
        )
        await story(world)
        before = world.model.refused
        await world.send("FACT: the boat is blue. What do you know?")
        chat = await rest(world)

        assert chat.status is Status.WAITING, chat.last_error
        assert "FACT: the boat is blue." in (await world.transcript())[-1]
        assert before <= 2
        assert world.model.refused - before <= 1

    tell_of(played)


def test_what_the_model_took_before_a_restart_is_known_when_it_refuses_more() -> None:
    """It tells no limit. What it has counted is in the history, and near enough to be the guess."""

    async def played(world: NarrowWorld) -> None:
        world.model = NarrowModel(configured=0, tells=False)
        counted = Usage(input_tokens=3_600, output_tokens=1)
        before = replace(says("Lorem ipsum.", usage=counted), model=world.model.name)
        said = (user(f"{FACT} " + "lorem ipsum " * 890), before, user("lorem ipsum " * 180))
        await create_chat(world.store, create(*said))
        chat = await rest(world)

        assert chat.status is Status.WAITING, chat.last_error
        assert world.model.refused == 1
        assert world.model.asked[1] > 2_500

    tell_of(played)


@asynccontextmanager
async def a_server(world: NarrowWorld) -> AsyncIterator[None]:
    """One that remembers nothing of those before it."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(world.worker().run(stop))
        yield
        stop.set()


def test_what_a_refused_prompt_has_told_is_known_after_a_restart() -> None:
    """The model takes more tokens for a word than we think, and never reports how many."""

    async def played(world: NarrowWorld) -> None:
        world.model = NarrowModel(configured=0, reports=False, bytes_per_token=1.2, limit=2 * LIMIT_TOKENS)
        async with a_server(world):
            await is_sent_a_message_of_eight_windows(world)
        assert world.model.refused == 1
        for _ in range(3):
            async with a_server(world):
                await world.send("FACT: the boat is blue. " + "lorem ipsum " * 480)
                chat = await rest(world)

            assert chat.status is Status.WAITING, chat.last_error
            assert "FACT: the boat is blue." in (await world.transcript())[-1]
        assert world.model.refused == 1

    tell_of(played, workers=0)


def test_what_a_refused_summary_has_told_is_known_after_a_restart() -> None:
    """The limit is known, and how the model counts is not: its first refusal is that of a summary."""

    async def played(world: NarrowWorld) -> None:
        world.model = NarrowModel(reports=False, bytes_per_token=1.2, limit=2 * LIMIT_TOKENS)
        said = (user(f"{FACT} Hello."), says("lorem ipsum " * 2_600), user("What do you know?"))
        await create_chat(world.silent_store, create(*said))
        async with a_server(world):
            await rest(world)
        assert (world.model.refused, world.model.requests[0].then != ()) == (1, True)
        for _ in range(2):
            async with a_server(world):
                await world.send("FACT: the boat is blue. " + "lorem ipsum " * 480)
                chat = await rest(world)

            assert chat.status is Status.WAITING, chat.last_error
        assert world.model.refused == 1

    tell_of(played, workers=0)


def test_what_a_refused_summary_that_was_asked_for_has_told_is_known_after_a_restart() -> None:
    """No attempt follows it in which that could be stored."""

    async def played(world: NarrowWorld) -> None:
        world.model = NarrowModel(configured=0, reports=False, bytes_per_token=1.2, limit=2 * LIMIT_TOKENS)
        said = (user(f"{FACT} Hello."), says("lorem ipsum " * 1_600), says("I know it all."))
        await create_chat(world.silent_store, create(*said))
        async with a_server(world):
            await rest(world)
            await world.tell(RequestCompaction())
            await rest(world)
        assert (world.model.refused, world.model.summaries) == (1, 1)

        async with a_server(world):
            await world.send("FACT: the boat is blue. " + "lorem ipsum " * 900)
            chat = await rest(world)

        assert chat.status is Status.WAITING, chat.last_error
        assert world.model.refused == 1

    tell_of(played, workers=0)


def test_what_one_model_has_refused_does_not_narrow_another() -> None:
    """A summary of what the other model could read would be made for nothing."""

    async def played(world: NarrowWorld) -> None:
        world.model = NarrowModel(reports=False, bytes_per_token=0.5, configured=0)
        world.other = NarrowModel("wide/one", limit=8 * LIMIT_TOKENS, reports=False)
        async with a_server(world):
            await world.start(f"{FACT} " + "lorem ipsum " * 1_000)
            await rest(world)
        assert world.model.refused > 0
        async with a_server(world):
            second = send("Now with the other one. " + "lorem ipsum " * 2_500)
            await world.tell(replace(second, message=replace(second.message, model="wide/one")))
            chat = await rest(world)

        assert chat.status is Status.WAITING, chat.last_error
        assert (world.other.refused, world.other.summaries) == (0, 0)

    tell_of(played, workers=0)
