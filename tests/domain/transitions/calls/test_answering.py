"""What a person's answer to a call means: to questions, and to a plan."""

import pytest

from chatd.domain.approvals.asked import Asked, ProposedPlan
from chatd.domain.approvals.asked_answers import ANSWER_LENGTH_MAX, NOT_ANSWERED
from chatd.domain.chat import Status
from chatd.domain.decision.change import Details
from chatd.domain.ids import CallId, MessageId, UserId
from chatd.domain.part import Json, ToolResult
from chatd.domain.setup import NO_SETUP, SetupChange
from chatd.domain.transitions.calls.submit_actions import Answer, SubmitActions
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.errors import BadInput, NotAllowed
from tests.domain.chats import asking
from tests.support.model import ModelChat
from tests.words import call, question, questions

PLAN = ProposedPlan(version=3, text="# Build it")


def asked(what: Asked) -> ModelChat:
    return asking(call("a"), plans=(question("a", what),))


def answer(chat: ModelChat, given: Json, message_id: MessageId | None = None) -> Json:
    action = Answer(call_id=CallId("a"), message_id=message_id, answer=given)
    chat.tell(SubmitActions(actions=(action,), decided_by=UserId("ann")))
    part = chat.history[-1].content[0]
    assert isinstance(part, ToolResult)
    return part.result


def test_each_question_is_answered_with_an_option_or_in_words_of_ones_own() -> None:
    chat = asked(questions("wall", "door"))

    result = answer(chat, ["Blue", " a light grey "])

    assert result == {
        "answers": [
            {"question": "Which wall?", "answer": "Blue"},
            {"question": "Which door?", "answer": "a light grey", "in_own_words": True},
        ]
    }
    assert chat.chat.status is Status.RUNNING


def test_one_question_is_answered_with_a_text_alone() -> None:
    result = answer(asked(questions("wall")), "Red")

    assert result == {"answers": [{"question": "Which wall?", "answer": "Red"}]}


def test_questions_may_be_left_unanswered() -> None:
    assert answer(asked(questions("wall", "door")), None) == {"answers": None, "note": NOT_ANSWERED}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "2 question"),
        (["Red"], "2 question"),
        (["Red", "Blue", "Red"], "2 question"),
        ("Red", "2 question"),
        ({"wall": "Red"}, "2 question"),
        (["Red", ""], "question 1"),
        (["Red", "  "], "question 1"),
        ([7, "Red"], "question 0"),
        (["Red", None], "question 1"),
        (["Red", "x" * (ANSWER_LENGTH_MAX + 1)], "question 1"),
    ],
)
def test_an_answer_that_does_not_fit_names_the_question_and_the_chat_waits_on(given: Json, why: str) -> None:
    chat = asked(questions("wall", "door"))

    with pytest.raises(BadInput, match=why):
        answer(chat, given)

    assert chat.chat.status is Status.REQUIRES_ACTION


def test_a_plan_that_is_accepted_ends_plan_mode_and_the_turn_goes_on() -> None:
    chat = asked(PLAN)
    chat.tell(DescribeChat(details=Details(), setup=SetupChange(mode="plan")))

    result = answer(chat, {"decision": "accept"})

    assert (result["decision"], result["version"]) == ("accept", 3)
    assert (chat.locked.setup or NO_SETUP).mode is None
    assert chat.chat.status is Status.RUNNING
    assert not chat.chat.projection.ending


def test_a_plan_that_is_to_be_changed_tells_the_model_how_and_planning_goes_on() -> None:
    chat = asked(PLAN)
    chat.tell(DescribeChat(details=Details(), setup=SetupChange(mode="plan")))

    result = answer(chat, {"decision": "revise", "feedback": "Without a door."})

    assert (result["decision"], result["feedback"]) == ("revise", "Without a door.")
    assert chat.locked.setup is not None
    assert chat.locked.setup.mode == "plan"


def test_a_plan_that_is_declined_ends_the_turn() -> None:
    chat = asked(PLAN)

    assert answer(chat, "decline")["decision"] == "decline"

    assert chat.chat.projection.ending


@pytest.mark.parametrize(
    "given",
    [
        None,
        "yes",
        {},
        {"decision": "revise"},
        {"decision": "revise", "feedback": " "},
        {"decision": "accept", "feedback": 7},
        {"decision": "accept", "scope": "always"},
        {"decision": ["accept"]},
        {"decision": "accept", "feedback": "x" * (ANSWER_LENGTH_MAX + 1)},
        ["accept"],
    ],
)
def test_what_is_no_decision_on_a_plan_is_refused(given: Json) -> None:
    chat = asked(PLAN)

    with pytest.raises(BadInput):
        answer(chat, given)

    assert chat.chat.status is Status.REQUIRES_ACTION


def test_an_answer_for_another_message_is_refused() -> None:
    chat = asked(questions("wall"))

    with pytest.raises(NotAllowed, match="is over"):
        answer(chat, "Red", MessageId(1))


def test_a_call_is_answered_once() -> None:
    chat = asked(questions("wall"))
    answer(chat, "Red")

    with pytest.raises((BadInput, NotAllowed)):
        answer(chat, "Blue")
