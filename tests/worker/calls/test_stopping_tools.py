"""Tools that are stopped and go on: neither their chat nor the other calls wait for them."""

import asyncio

from chatd.domain.call import CallState
from chatd.domain.decision.answers import ONLY_READS
from chatd.domain.ids import ChatId
from chatd.domain.part import ToolResult
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.tables import leases
from chatd.tools.calls.tool_tasks import CLEAN_UP_SECONDS_MAX
from tests.worker.worlds.stubborn import StubbornWorld, serious_logs, tell_stubborn
from tests.worker.worlds.world import CHAT

OTHER = ChatId("other")


def test_a_stop_is_obeyed_although_the_tool_does_not_heed_it() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start("call @a ignore {}")
        await world.until(lambda _: world.runs("ignore") == 1)
        stopped_at = asyncio.get_running_loop().time()
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await world.transcript())[-1] == "tool: a failed"
        (told,) = (await world.stored()).messages[-1].content
        assert isinstance(told, ToolResult)
        # It reads, and has begun: that it did not run would be a lie.
        assert told.result == f"The user interrupted the agent. {ONLY_READS}"
        assert asyncio.get_running_loop().time() - stopped_at < CLEAN_UP_SECONDS_MAX + 2

    tell_stubborn(story)


def test_what_was_left_behind_holds_no_slot() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start("call @a ignore {}")
        await world.until(lambda _: world.runs("ignore") == 1)
        await world.tell(Interrupt())
        await world.until_idle()
        await world.start("say Hi.", OTHER)
        await world.until_idle(OTHER)
        # And when it ends after all, it does not free a slot that it no longer had.
        world.released.set()
        await world.clock.sleep(1)

        assert world.slots.work.free == 1

    tell_stubborn(story, slots=1)


def test_what_was_left_behind_cannot_write_and_leaves_its_chat_as_it_is() -> None:
    async def story(world: StubbornWorld) -> None:
        world.stubborn = 1
        await world.start("call @a ignore {}\nnext\nsay Done.")
        await world.until_idle()
        await world.until(lambda chat: chat.lease is None)
        done = await world.stored()
        # The watchdog stopped the first one; a tool that only reads is run again.
        assert (await world.transcript())[-2:] == ["tool: a answered", "assistant: Done."]
        assert world.runs("ignore") == 2
        world.released.set()
        await world.clock.sleep(60)

        assert await world.stored() == done

    with serious_logs() as logs:
        tell_stubborn(story)
    assert [(entry["event"], entry["chat_id"]) for entry in logs] == [
        ("tool.left_behind", CHAT),
        ("tool.ended_late", CHAT),
    ]


class Limited(StubbornWorld):
    seconds_max = 20.0


def test_siblings_of_one_that_ignores_its_time_limit_are_not_held_up() -> None:
    async def story(world: StubbornWorld) -> None:
        began = world.clock.monotonic()
        await world.start('call @a ignore {}\ncall @b echo {"text": "x"}\nnext\nsay Done.')
        await world.until_idle()

        assert world.clock.monotonic() - began < 20 + CLEAN_UP_SECONDS_MAX + 2
        assert (await world.transcript())[2:] == ["tool: a failed", "tool: b answered", "assistant: Done."]

    tell_stubborn(story, make=Limited)


def test_a_result_that_comes_while_the_call_is_stopped_is_kept() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start('call @a reluctant {}\ncall @b wait {"seconds": 600}\nnext\nsay Done.')
        await world.until(lambda _: world.runs("reluctant") == 1)
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await world.transcript())[2:] == ["tool: a answered", "tool: b failed"]
        assert [call.state for call in (await world.stored()).calls] == [CallState.ANSWERED] * 2

    tell_stubborn(story)


def test_a_call_that_is_stopped_before_its_turn_never_runs() -> None:
    """Nine calls, of which eight run at once: the first to come back would be followed by the ninth."""

    async def story(world: StubbornWorld) -> None:
        eight = "\n".join(f"call @{n} reluctant {{}}" for n in range(8))
        await world.start(f'{eight}\ncall @last echo {{"text": "x"}}\nnext\nsay Done.')
        await world.until(lambda _: world.runs("reluctant") == 8)
        await world.tell(Interrupt())
        await world.until_idle()

        assert world.runs("echo") == 0
        assert (await world.transcript())[-1] == "tool: last failed"
        assert sum("answered" in line for line in await world.transcript()) == 8

    tell_stubborn(story)


def test_a_server_that_stops_hands_over_although_a_tool_goes_on() -> None:
    async def story(world: StubbornWorld) -> None:
        await world.start("call @a ignore {}")
        await world.until(lambda _: world.runs("ignore") == 1)
        world.stop.set()
        await world.clock.sleep(2 * CLEAN_UP_SECONDS_MAX)

        assert await leases.chats_without_worker(world.db, limit=5) == [CHAT]

    tell_stubborn(story)
