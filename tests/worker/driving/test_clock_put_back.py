"""Somebody sets the clock on the wall back by an hour, in the middle of a turn."""

from chatd.domain.message import Role
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.live.episodes.board import RETENTION_SECONDS
from tests.traceability import proves
from tests.worker.worlds.world import CHAT, World, tell

HOUR = 3600
# Words, silence, and words again.
SCRIPT = """say Before, and some more words.
wait 5
say After.
"""


def test_a_turn_takes_as_long_as_it_takes_although_the_clock_was_put_back() -> None:
    async def story(world: World) -> None:
        began = world.clock.monotonic()
        await world.start(SCRIPT)
        await world.until_said("Before")
        world.clock.put_back(HOUR)

        await world.until_idle()

        assert world.clock.monotonic() - began < 10
        (reply,) = [m for m in (await world.stored()).messages if m.role is Role.ASSISTANT]
        assert 5000 <= (reply.runtime_ms or 0) < 10_000
        assert 0 <= (reply.first_ms or 0) < 1000

    tell(story)


def test_nothing_of_a_turn_stays_although_the_clock_was_put_back() -> None:
    async def story(world: World) -> None:
        await world.start(SCRIPT)
        await world.until_idle()
        world.clock.put_back(HOUR)

        await world.clock.sleep(RETENTION_SECONDS + 1)
        # No part log runs here: it would have written it down by now.
        world.board.take_unlogged()
        world.board.take_unlogged()
        world.board.sweep()

        assert world.live_text(CHAT) == ""
        assert world.board._episodes == {}

    tell(story)


@proves("worker", 31)
def test_what_was_said_before_a_stop_knows_how_long_it_took_although_the_clock_was_put_back() -> None:
    async def story(world: World) -> None:
        await world.start(SCRIPT)
        await world.until_said("Before")
        world.clock.put_back(HOUR)
        await world.clock.sleep(2)
        await world.tell(Interrupt())
        await world.until_idle()

        (reply,) = [m for m in (await world.stored()).messages if m.role is Role.ASSISTANT]
        assert 2000 <= (reply.runtime_ms or 0) < 5000

    tell(story)


def test_a_model_is_tried_again_after_its_pause_although_the_clock_was_put_back() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded once\nsay Better.")
        await world.until(lambda chat: chat.retry_state is not None)
        world.clock.put_back(HOUR)
        began = world.clock.monotonic()

        await world.until_idle()

        assert world.clock.monotonic() - began < 60

    tell(story)
