"""Whole turns, driven by a worker, in virtual time."""

from msgspec.structs import replace

from chatd.domain.call import CallState
from chatd.domain.chat import Reason, Status
from chatd.domain.ids import CallId, ChatId
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from tests.traceability import proves
from tests.words import CLIENT_TOOL, send
from tests.worker.worlds.world import CHAT, World, tell


@proves("worker", 1)
def test_a_message_is_answered_and_the_chat_rests() -> None:
    async def story(world: World) -> None:
        await world.start("say Hello there.")
        chat = await world.until_idle()

        assert await world.transcript() == ["user: say Hello there.", "assistant: Hello there."]
        await world.until(lambda chat: chat.lease is None)
        assert chat.projection.steps == 1

    tell(story)


@proves("loop", 41)
def test_tools_are_run_and_the_agent_goes_on() -> None:
    async def story(world: World) -> None:
        await world.start('call @a echo {"text": "x"}\ncall @b remember {"text": "y"}\nnext\nsay Done.')
        await world.until_idle()

        assert (await world.transcript())[1:] == [
            "assistant: calls a, calls b", "tool: a answered", "tool: b answered", "assistant: Done.",
        ]  # fmt: skip
        stored = await world.stored()
        assert {call.state for call in stored.calls} == {CallState.ANSWERED}

    tell(story)


def test_a_message_sent_while_the_agent_speaks_waits_its_turn() -> None:
    async def story(world: World) -> None:
        await world.start("stream 100 words at 10 per second")
        await world.until(lambda chat: chat.versions.attempt == 1)
        await world.send("say And more.")
        await world.until(lambda chat: chat.queued == 1)
        await world.until_idle()

        assert (await world.transcript())[-2:] == ["user: say And more.", "assistant: And more."]

    tell(story)


def test_a_steered_message_comes_in_between_two_steps() -> None:
    async def story(world: World) -> None:
        await world.start('call @w wait {"seconds": 5}\nnext\nsay First.')
        await world.until(lambda chat: chat.open_calls == 1)
        await world.tell(send("say Steered.", When.STEER))
        await world.until_idle()

        assert (await world.transcript())[-3:] == [
            "tool: w answered", "user: say Steered.", "assistant: Steered.",
        ]  # fmt: skip

    tell(story)


@proves("worker", 20)
def test_an_interrupt_keeps_what_was_said() -> None:
    async def story(world: World) -> None:
        await world.start("say I was about to\nwait 60\nsay tell you.")
        await world.until_said("about to")
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await world.transcript())[1:] == ["assistant: I was about to"]

    tell(story)


def test_an_interrupt_before_the_next_attempt_speaks_keeps_what_the_last_one_said() -> None:
    async def story(world: World) -> None:
        await world.start("wait 5\nfail timeout after 3 words once\nsay one two three four")
        await world.until_said("three")
        await world.until(lambda chat: chat.versions.attempt == 2)
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await world.transcript())[1:] == ["assistant: one two three"]

    tell(story)


@proves("worker", 28)
def test_an_interrupt_keeps_the_results_that_exist_and_answers_the_rest() -> None:
    async def story(world: World) -> None:
        await world.start('call @quick echo {"text": "x"}\ncall @slow wait {"seconds": 600}')
        await world.until(lambda chat: chat.open_calls == 2)
        while next(call.state for call in (await world.stored()).calls) is not CallState.FINISHED:
            await world.clock.sleep(0.01)
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await world.transcript())[-2:] == ["tool: quick answered", "tool: slow failed"]

    tell(story)


@proves("loop", 14)
def test_a_step_tells_how_long_its_stream_took_and_one_that_failed_is_none() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded once after 2 words\nsay One two\nwait 5\nsay three.")
        await world.until(lambda chat: chat.retry_state is not None)
        assert len(await world.transcript()) == 1
        await world.until_idle()

        _, reply = (await world.stored()).messages
        assert reply.runtime_ms is not None
        # Neither the stream that failed nor the pause behind it.
        assert 5_000 <= reply.runtime_ms < 5_500

    tell(story)


@proves("worker", 38)
def test_a_failure_is_tried_again_and_then_it_works() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded twice\nsay Finally.")
        await world.until(lambda chat: chat.retry_state is not None)
        chat = await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Finally."
        assert chat.retry_state is None

    tell(story)


def test_a_failure_that_cannot_be_cured_ends_the_turn_with_its_reason() -> None:
    async def story(world: World) -> None:
        await world.start("fail auth")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert (chat.last_error.kind, chat.last_error.retryable) == ("auth", False)

    tell(story)


@proves("worker", 40)
def test_twenty_five_failures_are_enough() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded")
        await world.until(lambda chat: chat.status is Status.ERROR)

        assert world.models.looked_for == 25

    tell(story)


def test_a_pause_can_be_cut_short() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded retry after 200")
        first = await world.until(lambda chat: chat.retry_state is not None)
        before = world.clock.now_micros()
        await world.tell(RetryTurn())
        await world.until(
            lambda chat: chat.retry_state is not None and chat.versions.history > first.versions.history
        )

        assert world.clock.now_micros() - before < 1_000_000

    tell(story)


def test_a_client_runs_its_own_tools() -> None:
    async def story(world: World) -> None:
        await world.start(f"call @tab {CLIENT_TOOL} {{}}\nnext\nsay Opened.")
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        await world.tell(SubmitActions(actions=(Result(call_id=CallId("tab"), output=1),)))
        await world.until_idle()

        assert (await world.transcript())[-2:] == ["tool: tab answered", "assistant: Opened."]

    tell(story)


@proves("tools", 72)
def test_beside_a_clients_tool_ours_runs_and_its_result_is_kept_while_the_chat_waits() -> None:
    async def story(world: World) -> None:
        await world.start(f'call @tab {CLIENT_TOOL} {{}}\ncall @ours echo {{"text": "x"}}\nnext\nsay Done.')
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)

        assert (await world.transcript())[-1] == "tool: ours answered"
        waiting = [call.id for call in (await world.stored()).calls if call.state is CallState.OPEN]
        assert waiting == ["tab"]

    tell(story)


def test_a_client_that_never_answers_is_not_waited_for() -> None:
    async def story(world: World) -> None:
        await world.start(f"call @tab {CLIENT_TOOL} {{}}\nnext\nsay Then not.")
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        before = world.clock.now_micros()
        await world.until_idle()

        assert 300 <= (world.clock.now_micros() - before) / 1_000_000 < 302
        assert (await world.transcript())[-2:] == ["tool: tab failed", "assistant: Then not."]

    tell(story)


def test_many_chats_are_driven_at_once() -> None:
    async def story(world: World) -> None:
        chats = [ChatId(f"chat {n}") for n in range(30)]
        for chat_id in chats:
            await world.start('call echo {"text": "x"}\nnext\nsay Done.', chat_id)
        for chat_id in chats:
            await world.until_idle(chat_id)

    tell(story, workers=2)


@proves("worker", 3)
def test_two_workers_never_drive_one_chat() -> None:
    async def story(world: World) -> None:
        for n in range(10):
            await world.start(f'call @a{n} launch {{"text": "rocket"}}\nnext\nsay Up.', ChatId(f"chat {n}"))
        for n in range(10):
            await world.until_idle(ChatId(f"chat {n}"))

        assert len(world.witness.lines) == 10

    for seed in range(5):
        tell(story, workers=3, seed=seed)


def test_with_one_slot_each_user_gets_a_turn() -> None:
    async def story(world: World) -> None:
        for n in range(5):
            await world.start("stream 5 words at 5 per second", ChatId(f"chat {n}"))
        for n in range(5):
            await world.until_idle(ChatId(f"chat {n}"))

    tell(story, slots=1)


@proves("worker", 12)
def test_a_chat_that_waits_for_a_slot_can_be_stopped() -> None:
    async def story(world: World) -> None:
        second = ChatId("second")
        await world.start("stream 1000 words at 1 per second")
        await world.until_said(" ")
        await world.start("say Hi.", second)
        await world.until(lambda chat: chat.lease is not None, second)
        await world.tell(Interrupt(), chat_id=second)
        await world.until_idle(second)

        assert (await world.transcript(second))[1:] == []
        assert (await world.stored()).chat.status is Status.RUNNING

    tell(story, slots=1)


def test_a_chat_that_waits_for_a_retry_holds_no_slot() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded once retry after 250\nsay Late.")
        await world.until(lambda chat: chat.retry_state is not None)
        await world.start("say Meanwhile.", ChatId("other"))
        await world.until_idle(ChatId("other"))

        assert (await world.stored()).chat.status is Status.RUNNING

    tell(story, slots=1)


def test_stopping_in_the_middle_leaves_the_chat_to_the_next_worker() -> None:
    async def story(world: World) -> None:
        await world.start("stream 1000 words at 10 per second")
        await world.until(lambda chat: chat.versions.attempt == 1)
        world.stop.set()
        await world.until(lambda chat: chat.lease is not None and chat.status is Status.RUNNING)

    tell(story)


def test_the_whole_history_is_remembered_between_steps() -> None:
    async def story(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.send("say Two.")
        await world.until_idle()

        assert await world.transcript() == [
            "user: say One.", "assistant: One.", "user: say Two.", "assistant: Two.",
        ]  # fmt: skip

    tell(story)


@proves("loop", 1)
def test_an_unknown_model_is_an_error_that_names_what_there_is() -> None:
    async def story(world: World) -> None:
        await world.start("say Hi.")
        await world.until_idle()
        await world.tell(replace(send("hello"), message=replace(send("hello").message, model="gpt-9")))
        chat = await world.until(lambda chat: chat.status is Status.ERROR, CHAT)

        assert chat.last_error is not None
        assert "scripted" in chat.last_error.message

    tell(story)


@proves("tools", 1)
def test_tools_of_one_reply_run_at_once_and_answer_in_its_order() -> None:
    async def story(world: World) -> None:
        began = world.clock.now_micros()
        await world.start(
            'call @slow wait {"seconds": 60}\ncall @quick wait {"seconds": 50}\nnext\nsay Done.'
        )
        await world.until_idle()

        assert (world.clock.now_micros() - began) / 1_000_000 < 100
        assert (await world.transcript())[2:4] == ["tool: slow answered", "tool: quick answered"]
        assert world.live_results() == ["quick", "slow"]
        slow, quick = (call.finished_at for call in (await world.stored()).calls)
        assert slow is not None
        assert quick is not None
        assert slow > quick

    tell(story)


def test_a_reply_that_reached_its_limit_is_kept_and_the_turn_says_that_it_is_not_whole() -> None:
    async def story(world: World) -> None:
        await world.start("say Once upon a\nend length")
        chat = await world.until_idle()

        assert (await world.transcript())[1:] == ["assistant: Once upon a"]
        assert chat.finish_reason is Reason.MAX_TOKENS

        await world.tell(send("say time."))
        chat = await world.until_idle()

        assert (await world.transcript())[2:] == ["user: say time.", "assistant: time."]
        assert chat.finish_reason is Reason.COMPLETE

    tell(story)


def test_a_provider_that_pauses_is_asked_to_go_on() -> None:
    async def story(world: World) -> None:
        await world.start("say Half of it,\nend paused\nnext\nsay and the rest.")
        chat = await world.until_idle()

        assert (await world.transcript())[1:] == ["assistant: Half of it,", "assistant: and the rest."]
        assert chat.projection.steps == 2

    tell(story)
