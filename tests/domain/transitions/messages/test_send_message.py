from collections.abc import Callable

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Situation, Status
from chatd.domain.limits import QUEUE_MESSAGES_MAX
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import BadInput, LimitReached
from tests.domain.chats import asking, calling, failed, idle, idle_with_an_open_call, interrupting, running
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import OWNER, answers, call, client_call, failure, outcome, says, send, step, user

RUNNING = Situation(Status.RUNNING)
RUNNING_WITH_BACKLOG = Situation(Status.RUNNING, queued=True)


@proves("state-machine", 6)
@pytest.mark.parametrize("when", When)
def test_a_message_to_an_idle_chat_is_heard_at_once(when: When) -> None:
    chat = idle()

    chat.tell(send("and now?", when))

    assert chat.transcript == ["user: hello", "assistant: hi", "user: and now?"]
    assert chat.chat.situation == RUNNING


@proves("state-machine", 7)
def test_a_message_to_a_busy_chat_waits_and_history_stays() -> None:
    chat = running()
    before = chat.chat.versions

    chat.tell(send("later"))

    assert chat.queue == ["later"]
    assert chat.chat.situation == RUNNING_WITH_BACKLOG
    assert chat.chat.versions == replace(before, snapshot=2, queue=2)


@proves("state-machine", 7)
def test_a_message_may_interrupt_a_busy_chat() -> None:
    chat = running()

    chat.tell(send("stop that", When.INTERRUPT))

    assert chat.chat.situation == Situation(Status.INTERRUPTING, queued=True)
    assert chat.queue == ["stop that"]


@proves("state-machine", 8)
def test_after_a_failure_what_was_queued_goes_first() -> None:
    chat = failed("a")

    chat.tell(send("b"))

    assert chat.transcript == ["user: hello", "user: a"]
    assert chat.queue == ["b"]
    assert chat.chat.situation == RUNNING_WITH_BACKLOG
    assert chat.chat.last_error is None


def test_a_message_may_interrupt_a_chat_that_waits_for_a_client() -> None:
    chat = asking(client_call("tab"))

    (outcome_,) = chat.tell(send("never mind", When.INTERRUPT))

    assert [str(message.role) for message in outcome_.appended] == ["tool", "user"]
    assert chat.transcript[-2:] == ["tool: tab failed", "user: never mind"]
    assert chat.chat.deadline_at is None
    assert chat.chat.situation == RUNNING


def test_a_message_that_interrupts_a_waiting_chat_does_not_overtake_the_queue() -> None:
    chat = asking(client_call("tab"), queued=("first",))

    chat.tell(send("second", When.INTERRUPT))

    assert chat.transcript[-2:] == ["tool: tab failed", "user: first"]
    assert chat.queue == ["second"]
    assert chat.chat.situation == RUNNING_WITH_BACKLOG


@proves("state-machine", 10)
@pytest.mark.parametrize("make", [running, interrupting, failed], ids=lambda make: make.__name__)
def test_a_full_queue_takes_nothing_more(make: Callable[..., ModelChat]) -> None:
    chat = make(*[f"message {n}" for n in range(QUEUE_MESSAGES_MAX)])
    before = chat.locked

    with pytest.raises(LimitReached, match="20 messages are waiting") as refusal:
        chat.tell(send("one more"))

    assert refusal.value.limit == 20
    assert chat.locked == before


@proves("state-machine", 10)
@pytest.mark.parametrize("when", When)
def test_a_full_queue_takes_nothing_while_a_client_is_awaited(when: When) -> None:
    chat = asking(queued=tuple(f"message {n}" for n in range(QUEUE_MESSAGES_MAX)))

    with pytest.raises(LimitReached):
        chat.tell(send("one more", when))


@proves("state-machine", 11)
@pytest.mark.parametrize(
    "make", [idle, running, failed, interrupting, asking], ids=lambda make: make.__name__
)
@pytest.mark.parametrize("when", ["", "later"])
def test_an_unknown_when_is_refused_everywhere(make: Callable[..., ModelChat], when: str) -> None:
    chat = make()
    before = chat.locked

    with pytest.raises(BadInput, match="must be one of queue, steer, interrupt"):
        chat.tell(SendMessage(message=user("hm"), when=when))  # type: ignore[arg-type]  # the point of the test

    assert chat.locked == before


@proves("state-machine", 12)
def test_only_users_send() -> None:
    with pytest.raises(BadInput, match="users send"):
        idle().tell(SendMessage(message=says("I am you"), when=When.QUEUE))


@proves("state-machine", 13)
def test_a_message_without_a_creator_is_the_owners_also_from_the_queue() -> None:
    chat = running()
    chat.tell(send("later"))
    chat.tell(FinishTurn())

    assert chat.history[-1].created_by == OWNER


@proves("state-machine", 14)
def test_an_unanswered_call_of_an_idle_chat_is_answered_before_the_message() -> None:
    chat = idle_with_an_open_call(call("a"))

    chat.tell(send("go on"))

    assert chat.transcript[-3:] == ["assistant: let me see, calls a", "tool: a failed", "user: go on"]
    assert chat.history[-2].id < chat.history[-1].id


@proves("state-machine", 15)
def test_an_unanswered_call_of_a_failed_chat_is_answered_before_the_message() -> None:
    chat = calling(call("a"), call("b"))
    chat.tell(FailTurn(failure=failure()))

    chat.tell(send("go on"))

    assert chat.transcript[-3:] == ["tool: a failed", "tool: b failed", "user: go on"]


@proves("state-machine", 16)
def test_a_providers_own_call_gets_no_answer_of_ours() -> None:
    chat = calling(call("search", "web_search", provider=True))
    chat.tell(FinishTurn())

    chat.tell(send("go on"))

    assert chat.transcript[-2:] == ["assistant: let me see, calls search", "user: go on"]


@proves("state-machine", 17)
def test_a_call_that_the_provider_answered_is_not_open() -> None:
    chat = calling(call("search", "web_search", provider=True), outcome("search", tool="web_search"))

    assert chat.chat.open_calls == 0
    assert chat.locked.calls == ()


def test_a_steered_message_is_heard_after_the_next_results() -> None:
    chat = calling(call("a"))
    chat.tell(send("later"))
    chat.tell(send("use the other file", When.STEER))
    chat.tell(send("and hurry", When.STEER))

    chat.tell(step(answers("a")))

    assert chat.transcript[-3:] == ["tool: a answered", "user: use the other file", "user: and hurry"]
    assert chat.queue == ["later"]
    assert chat.chat.status is Status.RUNNING


def test_a_steered_message_waits_until_no_call_is_open() -> None:
    chat = calling(call("a"), client_call("tab"))
    chat.tell(send("use the other file", When.STEER))

    chat.tell(step(answers("a")))

    assert chat.transcript[-1] == "tool: a answered"
    assert chat.queue == ["use the other file"]


def test_a_steered_message_that_comes_too_late_starts_the_next_turn() -> None:
    chat = running()
    chat.tell(send("one more thing", When.STEER))
    chat.tell(step(says("done")))
    assert chat.queue == ["one more thing"]

    chat.tell(FinishTurn())

    assert chat.transcript[-1] == "user: one more thing"
    assert chat.chat.situation == RUNNING


def test_a_provider_that_answers_itself_is_no_step_boundary() -> None:
    chat = running()
    chat.tell(send("wait", When.STEER))

    chat.tell(step(says("found", call("s", "web_search", provider=True), outcome("s", tool="web_search"))))

    assert chat.queue == ["wait"]


def test_a_queued_message_keeps_the_attempt_that_is_under_way() -> None:
    chat = running()
    chat.tell(BeginAttempt())

    chat.tell(send("later"))

    assert chat.chat.versions.attempt == 1
