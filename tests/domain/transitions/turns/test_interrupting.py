"""Saying stop, and saving what was said before it."""

import pytest

from chatd.domain.call import CallState, Effect, Plan
from chatd.domain.chat import Reason, Situation, Status
from chatd.domain.decision.answers import MAY_HAVE_RUN, NEVER_RAN, ONLY_READS, WITH_THE_CLIENT
from chatd.domain.ids import CallId, FileId, MessageId
from chatd.domain.message import Role
from chatd.domain.part import File, ToolCall, ToolResult
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import NotAllowed, NotFound
from tests.domain.chats import CALLING, asking, calling, interrupting, running
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import answers, call, client_call, outcome, plan, question, result, says, send, step

STOP = Interrupt(reason="The user pressed stop.")


def results(chat: ModelChat) -> list[ToolResult]:
    return [
        part
        for m in chat.history
        if m.role is Role.TOOL
        for part in m.content
        if isinstance(part, ToolResult)
    ]


def test_a_stop_that_means_one_turn_does_not_stop_the_next() -> None:
    chat = running("more")
    chat.tell(step(says("hi")))
    chat.tell(FinishTurn())
    turn = chat.chat.projection.turn_start

    with pytest.raises(NotAllowed, match="The turn of message 1 is over") as refused:
        chat.tell(Interrupt(message_id=MessageId(1)))
    assert refused.value.code == "newer_turn"
    with pytest.raises(NotFound):
        chat.tell(Interrupt(message_id=MessageId(turn + 1)))
    chat.tell(Interrupt(message_id=turn))

    assert chat.chat.status is Status.INTERRUPTING


def test_a_stop_may_name_any_message_of_the_turn() -> None:
    chat = calling(call("a"))
    chat.tell(step(answers("a")))

    chat.tell(Interrupt(message_id=chat.history[-1].id))

    assert chat.chat.status is Status.INTERRUPTING


@proves("state-machine", 37)
def test_one_cannot_stop_what_is_stopping() -> None:
    chat = running()
    chat.tell(STOP)

    with pytest.raises(NotAllowed, match="Cannot interrupt now: the chat is interrupting"):
        chat.tell(STOP)


def test_advice_that_was_given_counts_as_a_use_also_if_the_turn_is_stopped_before_it_is_read() -> None:
    chat = calling(call("a", "advisor"), plans=(plan("a", Effect.READ),))
    advice = result({"type": "advice", "advice": "Go small."})
    chat.tell(FinishCall(message_id=CALLING, call_id=CallId("a"), result=advice))
    chat.tell(STOP)
    chat.tell(FinishInterruption())

    assert chat.chat.projection.advisor_uses == 1


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("has_started", [True, False])
def test_of_a_stopped_call_no_more_is_told_than_is_known(effect: Effect, *, has_started: bool) -> None:
    chat = calling(call("a"), plans=(plan("a", effect),))
    if has_started:
        chat.tell(StartCalls(message_id=CALLING, call_ids=(CallId("a"),)))
    chat.tell(STOP)
    chat.tell(FinishInterruption())

    # Of what only reads no start is noted as a rule, so that none that is missing tells anything.
    known = ONLY_READS if effect is Effect.READ else MAY_HAVE_RUN if has_started else NEVER_RAN
    assert results(chat)[-1].result == f"The user interrupted the agent. {known}"


@pytest.mark.parametrize(
    ("waits_for", "plans", "known"),
    [(client_call("tab"), (), WITH_THE_CLIENT), (call("q", "ask"), (question("q"),), NEVER_RAN)],
)
def test_stopping_a_chat_that_waits_for_an_action_ends_its_turn(
    waits_for: ToolCall, plans: tuple[Plan, ...], known: str
) -> None:
    chat = asking(waits_for, plans=plans)

    chat.tell(STOP)

    assert results(chat)[-1].result == f"The user pressed stop. {known}"
    assert chat.chat.situation == Situation(Status.WAITING)
    assert chat.chat.finish_reason is Reason.INTERRUPTED
    assert chat.chat.deadline_at is None
    assert chat.chat.open_calls == 0


def test_stopping_a_chat_that_waits_lets_its_queue_go_on() -> None:
    chat = asking(client_call("tab"), queued=("next", "then"))

    chat.tell(STOP)

    assert chat.transcript[-2:] == ["tool: tab failed", "user: next"]
    assert chat.queue == ["then"]
    assert chat.chat.situation == Situation(Status.RUNNING, queued=True)
    assert chat.chat.deadline_at is None


@proves("state-machine", 31)
def test_an_interruption_without_anything_said_just_rests() -> None:
    chat = interrupting()

    chat.tell(FinishInterruption())

    assert chat.chat.situation == Situation(Status.WAITING)
    assert chat.transcript == ["user: hello"]


@proves("state-machine", 31)
def test_after_an_interruption_the_queue_goes_on() -> None:
    chat = interrupting("a", "b")

    chat.tell(FinishInterruption(partial=(says("I was about to"),)))

    assert chat.transcript == ["user: hello", "assistant: I was about to", "user: a"]
    assert chat.queue == ["b"]
    assert chat.chat.situation == Situation(Status.RUNNING, queued=True)


def test_finishing_an_interruption_answers_every_open_call_itself() -> None:
    chat = calling(call("a"), client_call("tab"))
    chat.tell(STOP)

    chat.tell(FinishInterruption())

    assert chat.transcript[-2:] == ["tool: a failed", "tool: tab failed"]
    assert chat.chat.situation == Situation(Status.WAITING)


def test_a_half_said_reply_is_kept_with_its_calls_answered() -> None:
    chat = interrupting("next")

    chat.tell(FinishInterruption(partial=(says("let me", call("a"), call("b")), answers("a"))))

    assert chat.transcript[1:] == [
        "assistant: let me, calls a, calls b", "tool: a answered", "tool: b failed", "user: next",
    ]  # fmt: skip


@proves("worker", 32)
def test_a_providers_call_in_a_half_said_reply_gets_no_answer_of_ours() -> None:
    chat = interrupting()

    chat.tell(
        FinishInterruption(partial=(says("searching", call("s", "web_search", provider=True), call("a")),))
    )

    assert chat.transcript[-2:] == ["assistant: searching, calls s, calls a", "tool: a failed"]


def test_what_makes_no_sense_in_a_half_said_reply_does_not_stop_the_stop() -> None:
    chat = interrupting()
    partial = (
        answers("nobody asked"),
        says("twice", call("a"), call("a"), call("b")),
        answers("a"),
        answers("a"),
    )

    chat.tell(FinishInterruption(partial=partial))

    assert chat.transcript[1:] == [
        "assistant: twice, calls a, calls b", "tool: a answered", "tool: b failed",
    ]  # fmt: skip


def test_a_result_that_came_before_the_stop_is_kept() -> None:
    chat = calling(call("a"), call("b"))
    chat.tell(StartCalls(message_id=CALLING, call_ids=(CallId("a"), CallId("b"))))
    chat.tell(STOP)
    chat.tell(FinishCall(message_id=CALLING, call_id=CallId("a"), result=result("the file says hi")))

    chat.tell(FinishInterruption())

    assert [(r.tool_call_id, r.is_error) for r in results(chat)] == [("a", False), ("b", True)]
    assert results(chat)[0].result == "the file says hi"
    assert [c.state for c in chat.calls.values()] == [CallState.ANSWERED, CallState.ANSWERED]


@pytest.mark.parametrize(
    ("effect", "unknown"), [(Effect.ONCE, True), (Effect.REPEATABLE, True), (Effect.READ, False)]
)
def test_the_model_is_told_when_a_stopped_call_may_have_had_an_effect(effect: Effect, unknown: bool) -> None:  # noqa: FBT001
    chat = calling(call("a"), plans=(plan("a", effect),))
    chat.tell(StartCalls(message_id=CALLING, call_ids=(CallId("a"),)))
    chat.tell(STOP)

    chat.tell(FinishInterruption())

    assert (MAY_HAVE_RUN in str(results(chat)[0].result)) is unknown


def test_a_message_that_interrupts_is_heard_once_the_stop_is_saved() -> None:
    chat = running()
    chat.tell(send("no, this", When.INTERRUPT))

    chat.tell(FinishInterruption(partial=(says("I think"),)))

    assert chat.transcript == ["user: hello", "assistant: I think", "user: no, this"]


def test_a_provider_result_inside_a_half_said_reply_stays_inside() -> None:
    chat = interrupting()
    reply = says("found", call("s", "web_search", provider=True), outcome("s", tool="web_search"))

    chat.tell(FinishInterruption(partial=(reply,)))

    assert chat.history[-1].content == reply.content


def test_files_that_are_not_there_do_not_stop_the_stop() -> None:
    chat = interrupting()
    half = says("see", File(file_id=FileId("gone"), media_type="image/png"))

    chat.tell(FinishInterruption(partial=(half,)))

    assert chat.transcript[-1] == "assistant: see"


def test_a_result_that_stands_before_its_call_does_not_stop_the_stop() -> None:
    chat = interrupting()
    half = says("odd", outcome("a"), call("a"))

    chat.tell(FinishInterruption(partial=(half,)))

    assert chat.chat.open_calls == 0
