"""What an agent may ask, and what it is told of questions that cannot be asked."""

from typing import Any

import pytest

from chatd.domain.approvals.asked import AskedQuestion, QuestionOption, Questions
from chatd.domain.ids import ChatId
from chatd.domain.part import Json
from chatd.tools.arguments import UnfitError, fitting
from chatd.tools.asking.ask_user_question import ask_user_question
from chatd.tools.tool import Asking, ToolError
from tests.traceability import proves

RED = {"label": "Red", "description": "Warm."}
BLUE = {"label": "Blue", "description": "Cold."}
WALL = {"header": "Wall", "question": "Which colour?", "options": [RED, BLUE]}


async def asked(*questions: Json) -> Any:
    assert ask_user_question.ask is not None
    args = fitting("ask_user_question", ask_user_question.arguments, {"questions": list(questions)})
    return await ask_user_question.ask(args, Asking(chat_id=ChatId("chat")))


async def test_a_question_has_a_header_and_two_to_four_options() -> None:
    options = tuple(QuestionOption(**each) for each in (RED, BLUE))

    assert await asked(WALL) == Questions(
        questions=(AskedQuestion(header="Wall", question="Which colour?", options=options),)
    )
    assert len((await asked(WALL | {"options": [RED, BLUE, _other("Green"), _other("Grey")]})).questions) == 1


def _other(label: str) -> Json:
    return {"label": label, "description": "Another one."}


@proves("tools", 52)
@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({"options": [RED]}, "questions[1].options"),
        ({"options": [RED, BLUE, _other("a"), _other("b"), _other("c")]}, "questions[1].options"),
        ({"options": [RED, {"label": "Blue"}]}, "questions[1].options[1]"),
        ({"options": [RED, {"label": "", "description": "Cold."}]}, "questions[1].options[1].label"),
        ({"header": ""}, "questions[1].header"),
        ({"question": "x" * 2001}, "questions[1].question"),
        ({"priority": 1}, "questions[1]"),
    ],
)
async def test_a_question_that_does_not_fit_is_named_by_its_index(bad: Json, where: str) -> None:
    with pytest.raises(UnfitError) as refused:
        await asked(WALL, WALL | bad)

    assert where in str(refused.value)


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({"header": " "}, "questions[1].header"),
        ({"question": "\n"}, "questions[1].question"),
        ({"options": [RED, {"label": " ", "description": "Cold."}]}, "questions[1].options[1].label"),
        ({"options": [RED, {"label": "red", "description": "Cold."}]}, "questions[1].options"),
    ],
)
async def test_blank_words_and_options_that_cannot_be_told_apart_are_named_by_their_index(
    bad: Json, where: str
) -> None:
    with pytest.raises(ToolError) as refused:
        await asked(WALL, WALL | bad)

    assert where in str(refused.value)


async def test_at_least_one_and_at_most_eight_questions_are_asked() -> None:
    with pytest.raises(UnfitError):
        await asked()
    with pytest.raises(UnfitError):
        await asked(*([WALL] * 9))
