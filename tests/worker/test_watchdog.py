"""A chat whose agent gets nowhere: it is begun anew, or given up, and in the end its turn is over."""

import asyncio

from chatd.agent.hold.progress import Progress
from chatd.domain.chat import Status
from chatd.domain.ids import ChatId
from chatd.storage.tables import leases
from chatd.worker.endings import BREAKS_MAX, FAILED_STUCK
from chatd.worker.runner import CANCELLED_SECONDS_MAX, UNENDING_ATTEMPTS_MAX
from chatd.worker.watchdog import CHECK_SECONDS, QUIET_SECONDS_MAX, STEP_SECONDS_MAX, until_stuck
from tests.support.virtual import VirtualClock, run_virtually
from tests.traceability import proves
from tests.worker.worlds.stubborn import DAY, DEAF, StubbornWorld, serious_logs, tell_stubborn
from tests.worker.worlds.world import CHAT

OTHER, THIRD = ChatId("other"), ChatId("third")
# By then a duty that hangs was cancelled, and has ended or was given up.
ONE_HANG = QUIET_SECONDS_MAX + 2 * CHECK_SECONDS + CANCELLED_SECONDS_MAX


@proves("worker", 24)
def test_a_duty_that_hangs_is_begun_anew() -> None:
    async def story(world: StubbornWorld) -> None:
        world.stubborn = 1
        await world.start("call @a hang {}\nnext\nsay Done.")
        await world.until_idle()

        assert (await world.transcript())[-2:] == ["tool: a answered", "assistant: Done."]
        assert asyncio.get_running_loop().time() >= QUIET_SECONDS_MAX

    tell_stubborn(story)


def test_a_call_that_hangs_beside_a_resting_one_is_noticed() -> None:
    async def story(world: StubbornWorld) -> None:
        world.stubborn = 1
        await world.start('call @a hang {}\ncall @b rest {"seconds": 1200}\nnext\nsay Done.')
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Done."
        assert world.runs("hang") == 2

    tell_stubborn(story)


def test_a_duty_that_hangs_every_time_ends_the_turn_with_a_reason() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start("call @a hang {}")
        await world.clock.sleep(BREAKS_MAX * ONE_HANG)
        chat = await world.until(lambda chat: chat.lease is None)

        assert (chat.status, chat.last_error) == (Status.ERROR, FAILED_STUCK)
        assert world.runs("hang") == BREAKS_MAX

    tell_stubborn(story)


def test_a_tool_that_shows_what_it_does_is_not_stuck() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start("call @a chatter {}\nnext\nsay Done.")
        await world.clock.sleep(3 * ONE_HANG)
        world.released.set()
        await world.until_idle()

        assert world.runs("chatter") == 1
        assert (await world.transcript())[-1] == "assistant: Done."

    tell_stubborn(story)


def test_a_model_that_speaks_slowly_is_not_stuck() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start("stream 1200 words at 1 per second")
        await world.until_idle()

        assert asyncio.get_running_loop().time() < 1200 + CHECK_SECONDS

    tell_stubborn(story)


def test_output_alone_is_no_progress_for_ever() -> None:
    async def story(world: StubbornWorld) -> None:
        world.stubborn = 1
        await world.start("call @a chatter {}\nnext\nsay Done.")
        await world.clock.sleep(STEP_SECONDS_MAX - CHECK_SECONDS)
        assert world.runs("chatter") == 1
        await world.until_idle()

        assert world.runs("chatter") == 2

    tell_stubborn(story)


def test_a_chat_that_waits_for_a_slot_keeps_its_place_however_long_it_takes() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start("call @a chatter {}")
        await world.until(lambda _: world.runs("chatter") == 1)
        await world.start('call @b echo {"text": "other"}', OTHER)
        await world.clock.sleep(QUIET_SECONDS_MAX - CHECK_SECONDS)
        # Whoever was cancelled for being stuck would line up again behind this one.
        await world.start('call @c echo {"text": "third"}', THIRD)
        await world.clock.sleep(2 * ONE_HANG)
        world.released.set()
        await world.until_idle(THIRD)

        assert world.witness.lines == ["chatter", "echo b other", "echo c third"]

    tell_stubborn(story, slots=1)


def test_a_duty_that_does_not_heed_its_cancellation_is_left_behind_and_its_chat_given_up() -> None:
    async def story(world: StubbornWorld) -> None:
        world.stubborn = 1
        await world.start(f"say I shall {DEAF}.")
        await world.until_idle()
        await world.until(lambda chat: chat.lease is None)
        done = await world.stored()
        assert (await world.transcript())[-1] == f"assistant: I shall {DEAF}."
        world.released.set()
        await world.clock.sleep(60)

        assert await world.stored() == done  # What it came back with was not written.

    with serious_logs() as logs:
        tell_stubborn(story)
    events = [(entry["event"], entry["chat_id"]) for entry in logs]
    assert events[0] == ("chat.given_up", CHAT)
    assert events[-1] == ("duty.ended_late", CHAT)


def test_a_turn_whose_model_never_ends_is_over_after_a_few_of_them() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start(f"say I shall {DEAF}.")
        await world.clock.sleep(UNENDING_ATTEMPTS_MAX * ONE_HANG)
        chat = await world.until(lambda chat: chat.lease is None)

        assert (chat.status, chat.last_error) == (Status.ERROR, FAILED_STUCK)
        assert world.runs("model") == UNENDING_ATTEMPTS_MAX

    tell_stubborn(story, workers=2)


def test_a_worker_that_stops_hands_over_before_it_waits_for_what_was_left_behind() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start(f"say I shall {DEAF}.")
        await world.until(lambda _: world.runs("model") == 1)
        world.stop.set()
        await world.clock.sleep(2 * CANCELLED_SECONDS_MAX)

        assert await leases.chats_without_worker(world.db, limit=5) == [CHAT]

    tell_stubborn(story)


def test_no_duty_is_stuck_while_it_pauses() -> None:
    async def story() -> None:
        progress, clock = Progress(), VirtualClock()
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(until_stuck(progress, clock))
            with progress.pause():
                await clock.sleep(DAY)
            ended_at = asyncio.get_running_loop().time()
            await watching

        assert asyncio.get_running_loop().time() - ended_at >= QUIET_SECONDS_MAX

    run_virtually(story())
