"""Waiting for a client or a person, and their answers."""

import pytest
from msgspec.structs import replace

from chatd.domain.approvals.made_rules import Decision
from chatd.domain.call import CallState
from chatd.domain.chat import Situation, Status
from chatd.domain.decision.answers import WITH_THE_CLIENT
from chatd.domain.ids import SECOND, CallId, MessageId, UserId
from chatd.domain.limits import CLIENT_ANSWER_MICROS
from chatd.domain.part import ToolResult
from chatd.domain.transitions.calls.expire_request import ExpireRequest
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.submit_actions import Action, Answer, Approval, Result, SubmitActions
from chatd.domain.transitions.messages.send_message import When
from chatd.errors import BadInput, NotAllowed
from tests.domain.chats import asking, calling, running
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import asks_first, call, client_call, question, says, send, step


def submit(*actions: Action) -> SubmitActions:
    return SubmitActions(actions=actions, decided_by=UserId("ann"))


def tab(output: object = 1, call_id: str = "tab") -> Result:
    return Result(call_id=CallId(call_id), output=output)


def allow(call_id: str) -> Approval:
    return Approval(call_id=CallId(call_id), decision=Decision.ALLOW)


def deny(call_id: str, reason: str | None = None) -> Approval:
    return Approval(call_id=CallId(call_id), decision=Decision.DENY, reason=reason)


def last_result(chat: ModelChat) -> ToolResult:
    part = chat.history[-1].content[0]
    assert isinstance(part, ToolResult)
    return part


def test_a_client_may_have_another_deadline_or_none() -> None:
    for seconds, deadline in ((60, 60 * SECOND), (None, None)):
        chat = calling(client_call("tab"))

        chat.tell(RequireAction(client_seconds=seconds))

        wanted = None if deadline is None else chat.locked.now + deadline
        assert chat.chat.deadline_at == wanted


@proves("state-machine", 33)
def test_a_client_has_five_minutes() -> None:
    chat = calling(client_call("tab"))

    chat.tell(RequireAction())

    assert CLIENT_ANSWER_MICROS == 300_000_000
    assert chat.chat.deadline_at == chat.locked.now + CLIENT_ANSWER_MICROS
    assert chat.chat.situation == Situation(Status.REQUIRES_ACTION)


@pytest.mark.parametrize("plan", [asks_first("a"), question("a")], ids=["approval", "question"])
def test_a_person_has_no_deadline(plan: object) -> None:
    chat = asking(call("a"), plans=(plan,))  # type: ignore[arg-type]  # two kinds of plan

    assert chat.chat.status is Status.REQUIRES_ACTION
    assert chat.chat.deadline_at is None


@proves("state-machine", 33)
def test_a_chat_without_a_call_that_waits_cannot_require_an_action() -> None:
    with pytest.raises(NotAllowed, match="waits for a client or a person"):
        calling(call("a")).tell(RequireAction())


def test_results_enter_history_in_the_order_they_were_submitted_and_the_agent_goes_on() -> None:
    chat = asking(client_call("tab"), client_call("tab 2"))

    chat.tell(submit(tab(2, "tab 2"), tab(1)))

    assert chat.transcript[-2:] == ["tool: tab 2 answered", "tool: tab answered"]
    assert chat.chat.situation == Situation(Status.RUNNING)
    assert chat.chat.deadline_at is None


def test_any_subset_may_be_answered_and_the_chat_waits_for_the_rest() -> None:
    chat = asking(client_call("tab"), call("q", "ask"), plans=(question("q"),))
    deadline = chat.chat.deadline_at
    assert deadline is not None

    chat.tell(submit(Answer(call_id=CallId("q"), answer="blue")))
    assert chat.chat.situation == Situation(Status.REQUIRES_ACTION)
    assert chat.chat.deadline_at == deadline
    assert last_result(chat).result == "blue"

    chat.tell(submit(tab()))
    assert chat.chat.situation == Situation(Status.RUNNING)


def test_when_only_a_person_is_left_the_deadline_is_gone() -> None:
    chat = asking(client_call("tab"), call("q", "ask"), plans=(question("q"),))

    chat.tell(submit(tab()))

    assert chat.chat.status is Status.REQUIRES_ACTION
    assert chat.chat.deadline_at is None


@proves("state-machine", 34)
@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ((), "Nothing was submitted"),
        ((tab(), tab()), "answered twice"),
        ((tab(), tab(call_id="other")), "does not wait for tool call 'other'"),
        ((allow("tab"),), "waits for a different answer: result"),
    ],
    ids=["none", "duplicate", "unexpected", "mismatched"],
)
def test_a_wrong_submission_is_refused_and_nothing_changes(actions: tuple[Action, ...], words: str) -> None:
    chat = asking(client_call("tab"), client_call("tab 2"))
    before = chat.locked

    with pytest.raises(BadInput, match=words):
        chat.tell(submit(*actions))

    assert chat.locked == before


def test_results_can_only_be_submitted_while_the_chat_waits() -> None:
    with pytest.raises(NotAllowed, match="Cannot submit actions now: the chat is running"):
        running().tell(submit(tab()))


def test_an_allowed_call_is_ready_to_run_and_remembers_who_allowed_it() -> None:
    chat = asking(call("a"), plans=(asks_first("a"),))

    chat.tell(submit(allow("a")))

    assert [(c.state, c.decided_by) for c in chat.locked.calls] == [(CallState.OPEN, "ann")]
    assert chat.chat.situation == Situation(Status.RUNNING)


def test_a_denied_call_is_answered_with_the_reason() -> None:
    chat = asking(call("a"), plans=(asks_first("a"),))

    chat.tell(submit(deny("a", "not on a Friday")))

    assert last_result(chat).is_error
    assert last_result(chat).result == "The user did not allow this call: not on a Friday"
    assert chat.chat.open_calls == 0


def test_a_steered_message_comes_in_behind_the_last_answer() -> None:
    chat = asking(client_call("tab"))
    chat.tell(send("by the way", When.STEER))

    chat.tell(submit(tab()))

    assert chat.transcript[-2:] == ["tool: tab answered", "user: by the way"]
    assert chat.queue == []


def test_what_comes_with_a_submission_follows_it() -> None:
    chat = asking(client_call("tab"))

    chat.tell(SubmitActions(actions=(tab(),), suffix=(says("noted"),)))

    assert chat.transcript[-2:] == ["tool: tab answered", "assistant: noted"]


@proves("state-machine", 36)
def test_a_chat_that_waits_for_no_client_cannot_expire() -> None:
    chat = asking(call("a"), plans=(asks_first("a"),))

    with pytest.raises(NotAllowed, match="does not wait for a client"):
        chat.tell(ExpireRequest())


def test_a_client_that_is_not_late_keeps_its_time() -> None:
    chat = asking(client_call("tab"))

    with pytest.raises(NotAllowed, match="still has time"):
        chat.tell(ExpireRequest())


def late(chat: ModelChat) -> ModelChat:
    """The same chat, five minutes later."""
    chat.locked = replace(chat.locked, now=chat.chat.deadline_at)
    return chat


def test_a_client_that_is_late_gets_its_calls_answered_for_it() -> None:
    chat = late(asking(client_call("tab"), queued=("next",)))

    chat.tell(ExpireRequest())

    assert last_result(chat).result == f"The client did not answer in time. {WITH_THE_CLIENT}"
    assert chat.chat.situation == Situation(Status.RUNNING, queued=True)


def test_a_person_is_waited_for_after_the_client_is_late() -> None:
    chat = late(asking(client_call("tab"), call("a"), plans=(asks_first("a"),)))

    chat.tell(ExpireRequest())

    assert chat.chat.status is Status.REQUIRES_ACTION
    assert chat.chat.deadline_at is None
    assert [open_.id for open_ in chat.locked.calls] == ["a"]


def test_who_answers_an_older_question_of_the_same_name_is_told_so() -> None:
    chat = asking(call("call_0"), plans=(asks_first("call_0"),))
    stale = replace(allow("call_0"), message_id=MessageId(2))
    chat.tell(submit(deny("call_0")))
    chat.tell(step(says("then this", call("call_0", "run_command")), plans=(asks_first("call_0"),)))
    chat.tell(RequireAction())

    with pytest.raises(NotAllowed, match="waits for another one of that name"):
        chat.tell(submit(stale))
