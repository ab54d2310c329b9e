"""What a worker does: attempts, retries, steps, tools, the end of a turn."""

import pytest

from chatd.domain.call import CallState, Effect, Kind
from chatd.domain.chat import Reason, Situation, Status
from chatd.domain.ids import CallId
from chatd.domain.message import text
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.errors import BadInput, NotAllowed
from tests.domain.chats import CALLING, calling, idle, running
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import (
    answers,
    call,
    client_call,
    failure,
    lease,
    plan,
    question,
    result,
    retry,
    says,
    send,
    step,
    summary,
    user,
)

A = CallId("a")


def test_each_attempt_is_counted() -> None:
    chat = running()

    chat.tell(BeginAttempt())
    chat.tell(BeginAttempt())

    assert chat.chat.versions.attempt == 2


@proves("state-machine", 53)
def test_messages_of_one_step_share_a_revision() -> None:
    chat = running()

    chat.tell(step(says("one"), says("two")))

    versions = chat.chat.versions
    assert [message.revision for message in chat.history] == [1, 2, 2]
    assert (versions.snapshot, versions.history, versions.attempt) == (2, 2, 0)


def test_a_message_tells_the_episode_in_which_it_was_said() -> None:
    chat = running()
    chat.tell(BeginAttempt())
    chat.tell(BeginAttempt())
    first = chat.chat.versions.history
    chat.tell(step(says("let me see", call("a"))))
    chat.tell(BeginAttempt())
    second = chat.chat.versions.history
    chat.tell(step(answers("a")))

    episodes = [(message.history_version, message.generation_attempt) for message in chat.history]
    assert episodes == [(None, None), (first, 2), (second, 1)]


def test_what_was_half_said_tells_the_episode_of_before_the_stop() -> None:
    chat = running("later")
    chat.tell(BeginAttempt())
    chat.tell(Interrupt())
    history = chat.chat.versions.history

    chat.tell(FinishInterruption(partial=(says("once upon"),)))

    episodes = [(message.history_version, message.generation_attempt) for message in chat.history]
    assert episodes == [(None, None), (history, 1), (None, None)]


@proves("state-machine", 57)
def test_the_same_retry_recorded_twice_is_one_change() -> None:
    chat = running()
    chat.tell(RecordRetry(retry=retry()))
    chat.tell(RecordRetry(retry=retry()))

    assert chat.chat.versions.retry == 2
    assert chat.chat.versions.snapshot == 3


@proves("state-machine", 58)
@pytest.mark.parametrize("command", [BeginAttempt(), step(says("hi"))], ids=["attempt", "message"])
def test_a_pending_retry_is_over_when_the_attempt_or_the_history_moves(command: BeginAttempt) -> None:
    chat = running()
    chat.tell(BeginAttempt())
    chat.tell(RecordRetry(retry=retry()))

    chat.tell(command)

    assert chat.chat.retry_state is None
    assert chat.chat.versions.retry == chat.chat.versions.snapshot


@proves("state-machine", 55)
def test_what_does_not_touch_history_leaves_its_version_and_the_attempt() -> None:
    chat = running()
    chat.tell(BeginAttempt())

    chat.tell(Acquire(lease=lease()))
    chat.tell(send("later"))

    assert (chat.chat.versions.history, chat.chat.versions.attempt) == (1, 1)


def test_a_step_needs_a_message() -> None:
    with pytest.raises(BadInput, match="nothing to commit"):
        running().tell(CommitStep(messages=()))


def test_a_result_must_answer_an_open_call() -> None:
    with pytest.raises(BadInput, match="No open tool call has the id 'b'"):
        calling(call("a")).tell(step(answers("b")))


@pytest.mark.parametrize("speaker", [says("anyway"), user("hm"), summary("so far")[0]], ids=text)
def test_no_message_comes_while_a_call_is_open(speaker: object) -> None:
    chat = calling(call("a"))

    with pytest.raises(NotAllowed, match="no result yet"):
        chat.tell(step(speaker))  # type: ignore[arg-type]  # drafts of three kinds


def test_two_calls_of_one_reply_cannot_share_an_id() -> None:
    with pytest.raises(BadInput, match="Two tool calls of one message"):
        running().tell(step(says("hm", call("a"), call("a"))))


def test_two_replies_may_use_the_same_call_ids() -> None:
    chat = calling(call("a"))
    chat.tell(step(answers("a")))

    chat.tell(step(says("again", call("a"))))

    assert [(c.message_id, c.state) for c in chat.calls.values()] == [
        (2, CallState.ANSWERED),
        (4, CallState.OPEN),
    ]


def test_the_ledger_knows_who_runs_each_call() -> None:
    chat = calling(
        call("a"), client_call("tab"), call("q", "ask"), call("s", "web_search", provider=True),
        plans=(question("q"), plan("a", Effect.READ)),
    )  # fmt: skip

    kinds = {c.id: (c.kind, c.effect) for c in chat.calls.values()}
    assert kinds == {
        "a": (Kind.LOCAL, Effect.READ),
        "tab": (Kind.CLIENT, Effect.ONCE),
        "q": (Kind.PERSON, Effect.ONCE),
        "s": (Kind.PROVIDER, Effect.ONCE),
    }


def test_a_call_is_started_finished_and_answered() -> None:
    chat = calling(call("a"))
    chat.tell(Acquire(lease=lease(runner="me")))

    chat.tell(StartCalls(message_id=CALLING, call_ids=(A,)))
    assert [(c.state, c.runner_id) for c in chat.locked.calls] == [(CallState.STARTED, "me")]

    chat.tell(FinishCall(message_id=CALLING, call_id=A, result=result("hi")))
    assert [(c.state, c.result) for c in chat.locked.calls] == [(CallState.FINISHED, result("hi"))]

    chat.tell(step(answers("a", "hi")))
    assert [c.state for c in chat.calls.values()] == [CallState.ANSWERED]


@pytest.mark.parametrize("effect", [Effect.READ, Effect.REPEATABLE])
def test_a_call_that_may_run_twice_can_be_started_again(effect: Effect) -> None:
    chat = calling(call("a"), plans=(plan("a", effect),))
    chat.tell(StartCalls(message_id=CALLING, call_ids=(A,)))

    chat.tell(StartCalls(message_id=CALLING, call_ids=(A,)))


def test_a_call_that_must_not_run_twice_cannot_be_started_again() -> None:
    chat = calling(call("a"), plans=(plan("a", Effect.ONCE),))
    chat.tell(StartCalls(message_id=CALLING, call_ids=(A,)))

    with pytest.raises(NotAllowed, match="must not run again"):
        chat.tell(StartCalls(message_id=CALLING, call_ids=(A,)))


def test_a_result_is_produced_once() -> None:
    chat = calling(call("a"))
    chat.tell(FinishCall(message_id=CALLING, call_id=A, result=result("first")))

    with pytest.raises(NotAllowed, match="has its result already"):
        chat.tell(FinishCall(message_id=CALLING, call_id=A, result=result("second")))


@pytest.mark.parametrize(
    "command",
    [
        StartCalls(message_id=CALLING, call_ids=(A,)),
        FinishCall(message_id=CALLING, call_id=A, result=result()),
    ],
)
def test_a_clients_call_is_not_ours_to_run(command: StartCalls) -> None:
    with pytest.raises(BadInput, match="No open tool call of ours"):
        calling(client_call("a")).tell(command)


@proves("state-machine", 30)
def test_a_turn_that_ends_without_a_backlog_rests() -> None:
    assert idle().chat.situation == Situation(Status.WAITING)


@proves("state-machine", 30)
def test_a_turn_that_ends_takes_the_next_message_and_answers_what_was_open() -> None:
    chat = calling(call("a"), queued=("x", "y"))

    chat.tell(FinishTurn())

    assert chat.transcript[-2:] == ["tool: a failed", "user: x"]
    assert chat.queue == ["y"]
    assert chat.chat.situation == Situation(Status.RUNNING, queued=True)


def test_a_chat_that_rests_owes_no_answer() -> None:
    chat = calling(call("a"))

    chat.tell(FinishTurn())

    assert chat.chat.open_calls == 0
    assert chat.chat.status is Status.WAITING


def test_a_turn_that_fails_says_why_and_keeps_its_calls() -> None:
    chat = calling(call("a"))

    chat.tell(FailTurn(failure=failure("The key was rejected.")))

    assert chat.chat.last_error == failure("The key was rejected.")
    assert chat.chat.open_calls == 1


def test_an_idle_chat_can_fail_at_the_door() -> None:
    chat = idle()

    chat.tell(FailTurn(failure=failure()))

    assert chat.chat.situation == Situation(Status.ERROR)


@proves("state-machine", 60)
def test_several_commands_at_once_are_one_snapshot_and_see_one_another() -> None:
    chat = running()

    chat.tell(step(says("hi")), FinishTurn(), send("more"))

    assert chat.chat.versions.snapshot == 2
    assert chat.transcript == ["user: hello", "assistant: hi", "user: more"]


@proves("state-machine", 60)
def test_several_commands_at_once_are_all_or_none() -> None:
    chat = running()
    before = chat.locked

    with pytest.raises(NotAllowed):
        chat.tell(step(says("hi")), FinishTurn(), Interrupt())

    assert chat.locked == before
    assert chat.transcript == ["user: hello"]


def test_steering_and_queueing_keep_their_own_order() -> None:
    chat: ModelChat = calling(call("a"))
    for words, when in [("q1", When.QUEUE), ("s1", When.STEER), ("q2", When.QUEUE), ("s2", When.STEER)]:
        chat.tell(send(words, when))

    chat.tell(step(answers("a")))

    assert chat.transcript[-2:] == ["user: s1", "user: s2"]
    assert chat.queue == ["q1", "q2"]


def test_a_late_result_is_not_taken_for_that_of_a_newer_call_with_the_same_id() -> None:
    chat = calling(call("a"))
    chat.tell(step(answers("a")))
    chat.tell(step(says("again", call("a"))))

    with pytest.raises(BadInput, match="No open tool call of ours"):
        chat.tell(FinishCall(message_id=CALLING, call_id=A, result=result("late")))


def test_a_result_that_was_kept_is_the_one_that_enters_history() -> None:
    chat = calling(call("a"))
    chat.tell(FinishCall(message_id=CALLING, call_id=A, result=result("kept")))

    with pytest.raises(BadInput, match="came back with another result"):
        chat.tell(step(answers("a", "invented")))
    chat.tell(step(answers("a", "kept")))


def test_a_result_is_kept_also_when_the_turn_has_failed_meanwhile() -> None:
    chat = calling(call("a"), call("b"))
    chat.tell(FailTurn(failure=failure()))

    chat.tell(FinishCall(message_id=CALLING, call_id=A, result=result("kept")))
    chat.tell(send("go on"))

    assert chat.transcript[-3:] == ["tool: a answered", "tool: b failed", "user: go on"]


def test_a_steered_message_does_not_stand_in_the_way_of_a_reply() -> None:
    chat = calling(call("a"))
    chat.tell(send("wait", When.STEER))

    chat.tell(step(answers("a"), says("more", call("b"))))

    assert chat.queue == ["wait"]
    assert chat.chat.open_calls == 1


@pytest.mark.parametrize("reason", [Reason.COMPLETE, Reason.MAX_STEPS])
def test_a_chat_that_rests_says_why_its_turn_ended(reason: Reason) -> None:
    chat = running()

    chat.tell(FinishTurn(reason=reason))
    assert chat.chat.finish_reason is reason

    chat.tell(send("more"))
    assert chat.chat.finish_reason is None
