"""Tools that rest: they wait for something that may take long, and stand in no other chat's way."""

import asyncio

from chatd.domain.chat import Status
from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.worker.watchdog import QUIET_SECONDS_MAX
from tests.worker.worlds.world import CHAT, World, tell

OTHER = ChatId("other")
# A call that works is stopped after 600 seconds.
LONG = 700


def resting(seconds: float) -> str:
    return f'call rest {{"seconds": {seconds}}}\nnext\nsay Rested.'


async def until_begun(world: World, calls: int) -> None:
    while len(world.witness.lines) < calls:
        await world.clock.sleep(0.1)


def test_a_hundred_resting_tools_do_not_keep_another_chat_waiting() -> None:
    async def story(world: World) -> None:
        chats = [ChatId(f"resting {n}") for n in range(100)]
        for chat_id in chats:
            await world.start(resting(LONG), chat_id)
        await until_begun(world, 100)

        began = world.clock.monotonic()
        await world.start("say Hi.", OTHER)
        await world.until_idle(OTHER)

        assert world.clock.monotonic() - began < 2
        assert world.slots.work.free == 2
        for chat_id in chats:
            await world.until_idle(chat_id)
            assert (await world.transcript(chat_id))[-1] == "assistant: Rested."
        assert len(world.witness.lines) == 100

    tell(story, slots=2)


def test_a_long_rest_is_ended_neither_by_the_watchdog_nor_by_the_tools_time_limit() -> None:
    async def story(world: World) -> None:
        seconds = 2 * QUIET_SECONDS_MAX
        await world.start(resting(seconds))
        await until_begun(world, 1)
        await world.clock.sleep(seconds)
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Rested."
        assert len(world.witness.lines) == 1

    tell(story)


def test_a_tool_whose_rest_is_over_waits_in_line_for_its_slot() -> None:
    async def story(world: World) -> None:
        await world.start(resting(10))
        await until_begun(world, 1)
        await world.start("stream 600 words at 10 per second\nsay Long.", OTHER)
        await world.clock.sleep(30)

        assert world.board.waits.shown[CHAT].reason == "slot"
        assert (await world.stored()).chat.status is Status.RUNNING
        await world.until_idle(OTHER)
        await world.until_idle()
        assert (await world.transcript())[-1] == "assistant: Rested."
        assert world.slots.work.idle

    tell(story, slots=1)


def test_the_slot_is_kept_while_another_call_of_the_batch_works() -> None:
    async def story(world: World) -> None:
        await world.start(f'call rest {{"seconds": {LONG}}}\ncall wait {{"seconds": 60}}\nnext\nsay Done.')
        await until_begun(world, 2)
        await world.clock.sleep(30)
        assert world.slots.work.free == 0

        await world.clock.sleep(40)
        assert world.slots.work.free == 1
        await world.until_idle()
        assert (await world.transcript())[-1] == "assistant: Done."

    tell(story, slots=1)


def test_a_call_that_begins_beside_resting_ones_waits_for_a_slot() -> None:
    """The ninth call of a reply begins when the first one has ended; the other seven rest."""

    async def story(world: World) -> None:
        first = 'call rest {"seconds": 10}\n'
        others = f'call rest {{"seconds": {LONG}}}\n' * 7
        await world.start(first + others + 'call echo {"text": "ninth"}\nnext\nsay Done.')
        await until_begun(world, 8)
        await world.start("stream 600 words at 10 per second\nsay Long.", OTHER)
        await world.clock.sleep(30)

        assert len(world.witness.lines) == 8
        await world.until_idle(OTHER)
        await until_begun(world, 9)
        await world.until_idle()
        assert (await world.transcript())[-1] == "assistant: Done."
        assert world.slots.work.idle

    tell(story, slots=1)


def test_an_interrupt_ends_a_rest_at_once() -> None:
    async def story(world: World) -> None:
        await world.start(resting(LONG))
        await until_begun(world, 1)
        began = world.clock.monotonic()
        await world.tell(Interrupt())
        await world.until_idle()

        assert world.clock.monotonic() - began < 2
        assert (await world.stored()).chat.open_calls == 0
        assert world.slots.work.idle

    tell(story, slots=1)


def test_an_interrupt_ends_a_tool_that_waits_for_its_slot_after_a_rest() -> None:
    async def story(world: World) -> None:
        await world.start(resting(1))
        await until_begun(world, 1)
        await world.start("stream 600 words at 10 per second\nsay Long.", OTHER)
        await world.clock.sleep(10)
        await world.tell(Interrupt())
        await world.until_idle()

        await world.until_idle(OTHER)
        assert world.slots.work.idle

    tell(story, slots=1)


def test_a_rest_begins_anew_under_another_worker_when_its_own_stops() -> None:
    async def story(world: World) -> None:
        async with asyncio.TaskGroup() as group:
            successor = world.worker()
            await world.start(resting(60))
            await until_begun(world, 1)
            world.stop.set()
            stop = asyncio.Event()
            group.create_task(successor.run(stop))
            await world.until_idle()
            stop.set()

        assert len(world.witness.lines) == 2
        assert (await world.transcript())[-1] == "assistant: Rested."
        assert world.slots.work.idle

    tell(story, slots=1)
