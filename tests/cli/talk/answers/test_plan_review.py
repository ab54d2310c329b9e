"""A plan in the terminal: what a person is shown of it, and what their answer means."""

import pytest

from chatd.cli.talk.answers.answering import Answering
from chatd.cli.talk.answers.plan_review import CHOICES, SHOWN_LINES_MAX, answer_of, description
from chatd.cli.talk.showing.pieces import Tone
from chatd.client.answers import Awaited, Plan

PLAN = Plan(version=2, text="# Two\n", diff="-# One\n+# Two\n")


def described(plan: Plan) -> str:
    return "".join(piece.text for piece in description(plan))


def test_a_plan_is_shown_whole_as_markdown_with_what_has_changed() -> None:
    assert [(piece.tone, piece.text) for piece in description(PLAN) if piece.text] == [
        (Tone.ASKED, "The agent proposes a plan (version 2):\n"),
        (Tone.TEXT, "# Two\n"),
        (Tone.ASKED, "Changed since version 1:\n"),
        (Tone.DIFF, "-# One\n"),
        (Tone.DIFF, "+# Two\n"),
    ]
    assert [choice.split()[0] for choice in CHOICES] == ["y", "c", "n"]


def test_of_a_very_long_plan_the_beginning_is_shown_and_where_the_rest_is() -> None:
    shown = described(Plan(version=1, text="line\n" * (SHOWN_LINES_MAX + 7)))

    assert "[7 more lines; `chatd plan` prints all of them]" in shown


def test_what_a_terminal_would_hide_is_shown() -> None:
    assert "\x1b" not in described(Plan(version=1, text="a\x1b[2Kb"))


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", {"decision": "accept"}),
        ("Yes", {"decision": "accept"}),
        ("c Without a door.", {"decision": "revise", "feedback": "Without a door."}),
        ("n", {"decision": "decline"}),
        ("n Not now.", {"decision": "decline", "feedback": "Not now."}),
        ("c", None),
        ("perhaps", None),
        ("", None),
    ],
)
def test_a_line_accepts_wants_changes_or_declines(line: str, answer: object) -> None:
    assert answer_of(line) == answer


def test_what_is_no_answer_shows_the_plan_again() -> None:
    awaited = Awaited(tool_call_id="c", message_id=3, tool_name="propose_plan", kind="answer", plan=PLAN)

    said = Answering().take(awaited, "perhaps")

    assert [piece.text for piece in said.shown[:2]] == [
        "That is no answer to this. Type y, c or n, and behind c what is to be different.\n",
        "The agent proposes a plan (version 2):\n",
    ]
    assert Answering().take(awaited, "y").answers == (
        {"tool_call_id": "c", "message_id": 3, "answer": {"decision": "accept"}},
    )
