"""Questions of an agent in the terminal, one after the other."""

from chatd.cli.talk.answers.answering import Answering, choices, description
from chatd.cli.talk.answers.questions import Wizard, chosen
from chatd.client.answers import Awaited, Question, QuestionOption

OPTIONS = (
    QuestionOption(label="Red", description="Warm."),
    QuestionOption(label="Blue", description="Cold."),
)
WALL = Question(header="Wall", question="Which colour?", options=OPTIONS)
DOOR = Question(header="Door", question="And the door?", options=OPTIONS)


def awaited(*questions: Question, call_id: str = "c") -> Awaited:
    return Awaited(
        tool_call_id=call_id,
        message_id=4,
        tool_name="ask_user_question",
        kind="answer",
        questions=questions,
    )


def described(asked: Awaited) -> str:
    """What is printed, and the choices."""
    return "".join(piece.text for piece in description(asked)) + "\n".join(choices(asked))


def test_a_question_is_shown_with_its_numbered_options() -> None:
    assert described(awaited(WALL, DOOR)) == (
        "The agent asks (1 of 2): Wall\n"
        "  Which colour?\n"
        "  1  Red\n"
        "     Warm.\n"
        "  2  Blue\n"
        "     Cold.\n"
        "  Type a number, or your answer in your own words. /skip leaves it to the agent."
    )


def test_a_number_is_the_option_and_everything_else_the_answer_itself() -> None:
    assert [chosen(WALL, line) for line in ("2", " 1 ", "3", "0", "Blue", "light blue")] == [
        "Blue",
        "Red",
        "3",
        "0",
        "Blue",
        "light blue",
    ]


def test_one_question_is_asked_after_the_other_and_all_answers_are_given_together() -> None:
    answering, both = Answering(), awaited(WALL, DOOR)

    assert answering.prompt(both) == "1-2 or words> "
    first = answering.take(both, "2")
    assert [piece.text for piece in first.shown[:2]] == ["  Blue\n", "The agent asks (2 of 2): Door\n"]
    assert not first.answers

    last = answering.take(both, "none at all")
    assert last.answers == ({"tool_call_id": "c", "message_id": 4, "answer": ["Blue", "none at all"]},)


def test_other_questions_begin_anew() -> None:
    answering = Answering()
    answering.take(awaited(WALL, DOOR), "2")

    said = answering.take(awaited(WALL, call_id="d"), "1")

    assert said.answers == ({"tool_call_id": "d", "message_id": 4, "answer": ["Red"]},)


def test_questions_can_be_skipped_in_the_middle() -> None:
    answering, both = Answering(), awaited(WALL, DOOR)
    answering.take(both, "2")

    assert answering.take(both, "/skip").answers[0]["answer"] is None


def test_what_a_terminal_would_hide_is_shown() -> None:
    asked = Question(header="\x1b[2K", question="a\u202eb", options=OPTIONS)

    assert "\x1b" not in str(described(awaited(asked)))
    assert "\u202e" not in str(described(awaited(asked)))


def test_a_wizard_is_done_with_its_last_answer() -> None:
    wizard = Wizard(awaited(WALL))

    assert not wizard.is_done
    wizard.take("Red")
    assert wizard.is_done
