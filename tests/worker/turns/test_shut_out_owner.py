"""Nothing begins for an owner who was shut out, also if the server died that should have stopped agents.

That server has written the flag, and nothing else: no agent was interrupted, and no other server was told.
"""

from chatd.accounts.lives.lives import activate_user, suspend_user
from chatd.agent.calls.run_tools import PARALLEL_MAX
from chatd.agent.hold.owner import KNOWN_SECONDS
from chatd.domain.call import CallState
from chatd.domain.chat import Chat, Status
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from tests.traceability import proves
from tests.words import OWNER
from tests.worker.worlds.world import CHAT, World, tell


async def shut_out(world: World) -> None:
    """What is left of a suspension whose server dies before it stops the agents."""
    await world.db.write(lambda tx: tx.run("insert_user", "somebody else", "admin", "admin"))
    await suspend_user(world.db, OWNER)


async def until_failed(world: World) -> Chat:
    return await world.until(lambda chat: chat.status is Status.ERROR)


async def let_in_again(world: World) -> None:
    await activate_user(world.db, OWNER)
    await world.tell(RetryTurn())
    await world.until_idle()


@proves("people", 33)
def test_the_tool_that_a_reply_calls_does_not_begin_and_runs_once_after_the_retry() -> None:
    async def story(world: World) -> None:
        await world.start('say Once.\nwait 5\ncall launch {"text": "x"}\nnext\nsay Done.')
        await world.until_said("Once.")
        await shut_out(world)
        await world.send("say And then.")

        failed = await until_failed(world)

        assert failed.last_error is not None
        assert failed.last_error.kind == "owner_suspended"
        assert world.witness.lines == []
        assert [call.state for call in (await world.stored()).calls] == [CallState.OPEN]
        assert (await world.transcript())[-1].startswith("assistant: Once.")
        assert failed.queued == 1

        await let_in_again(world)
        assert len(world.witness.lines) == 1
        assert (await world.transcript())[-4:] == [
            "tool: call_1_1_1 answered",
            "assistant: Done.",
            "user: say And then.",
            "assistant: And then.",
        ]

    tell(story)


@proves("people", 33)
def test_the_model_is_not_called_with_the_result_of_a_tool_which_is_kept() -> None:
    async def story(world: World) -> None:
        await world.start('call launch {"text": "x", "seconds": 5}\nnext\nsay Done.')
        await world.until(lambda _: len(world.witness.lines) == 1)
        await shut_out(world)

        failed = await until_failed(world)

        assert failed.last_error is not None
        assert failed.last_error.kind == "owner_suspended"
        assert (await world.transcript())[-1] == "tool: call_1_1_1 answered"
        assert world.live_text() == ""

        await let_in_again(world)
        assert len(world.witness.lines) == 1
        assert (await world.transcript())[-1] == "assistant: Done."

    tell(story)


def test_calls_that_wait_for_their_siblings_do_not_begin_and_the_others_come_to_their_end() -> None:
    async def story(world: World) -> None:
        calls = [f'call @{n} launch {{"seconds": {n + 5}}}' for n in range(PARALLEL_MAX + 2)]
        await world.start("\n".join([*calls, "next", "say Done."]))
        await world.until(lambda _: len(world.witness.lines) == PARALLEL_MAX)
        await shut_out(world)

        await until_failed(world)

        states = [call.state for call in (await world.stored()).calls]
        assert states == [CallState.FINISHED] * PARALLEL_MAX + [CallState.OPEN] * 2
        assert len(world.witness.lines) == PARALLEL_MAX

        await let_in_again(world)
        assert len(world.witness.lines) == PARALLEL_MAX + 2
        told = [line for line in await world.transcript() if line.startswith("tool:")]
        assert told == [f"tool: {n} answered" for n in range(PARALLEL_MAX + 2)]

    tell(story)


def test_a_chat_that_has_waited_for_a_slot_does_not_call_its_model() -> None:
    async def story(world: World) -> None:
        taken = world.slots.take_at_once(OWNER)
        assert taken is not None
        await world.start("say Hello.")
        await world.until(lambda chat: chat.versions.attempt == 1)
        await world.clock.sleep(KNOWN_SECONDS)
        await shut_out(world)
        taken.leave()

        await until_failed(world)
        assert world.live_text() == ""

    tell(story, slots=1)


def test_a_history_is_not_summed_up_either_with_a_model_or_without() -> None:
    async def story(world: World) -> None:
        await world.start("say Hello.")
        await world.until_idle()
        before = (await world.stored(CHAT)).messages
        await shut_out(world)
        await world.tell(RequestCompaction())

        await until_failed(world)
        assert (await world.stored()).messages == before

    tell(story)
