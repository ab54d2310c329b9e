"""What a person types while the agent waits for them (pure): approvals, answers, and decisions on plans."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from chatd.cli.talk.answers import approval, plan_review, questions
from chatd.cli.talk.answers.questions import Wizard
from chatd.cli.talk.showing.pieces import Piece, Tone
from chatd.client.answers import Awaited
from chatd.kit.codec import as_text
from chatd.kit.text import one_line, shortened, visible

SKIP = "/skip"
ASKED_LENGTH_MAX = 200

_ALLOWED = {
    "once": "Allowed this time.",
    "chat": "Allowed in this chat.",
    "always": "Allowed in all your chats.",
}


class Said(Struct, frozen=True, kw_only=True):
    """What a line comes to: something to submit, or something to show."""

    approvals: tuple[dict[str, Any], ...] = ()
    answers: tuple[dict[str, Any], ...] = ()
    shown: tuple[Piece, ...] = ()


class Answering:
    """Knows how far the questions of the call that waits are answered."""

    def __init__(self) -> None:
        self._wizard: Wizard | None = None

    def prompt(self, awaited: Awaited) -> str:
        if awaited.questions:
            return self._wizard_of(awaited).prompt()
        if awaited.plan is not None:
            return plan_review.PROMPT
        return approval.question(awaited) if awaited.kind == "approval" else "answer> "

    def choices(self, awaited: Awaited) -> Iterator[str]:
        """What may be answered, a line for each."""
        return choices(awaited, self._wizard_of(awaited) if awaited.questions else None)

    def keys(self, awaited: Awaited) -> Mapping[str, str]:
        """What a single key answers: a whole line, or with a blank at its end the beginning of one."""
        if awaited.questions:
            options = len(self._wizard_of(awaited).question.options)
            return {str(number): str(number) for number in range(1, options + 1)}
        if awaited.plan is not None:
            return {"y": "y", "c": "c ", "n": "n"}
        if awaited.kind != "approval":
            return {}
        return {key: key for key in approval.keys(awaited)} | {"n": "n "}

    def take(self, awaited: Awaited, line: str) -> Said:
        if awaited.kind == "approval":
            given = approval.approval_of(awaited, line)
            return _decided(given) if given is not None else _unclear(awaited)
        if awaited.plan is not None:
            answer = plan_review.answer_of(line)
            return _answer(awaited, answer) if answer is not None else _unclear(awaited)
        if line == SKIP:
            self._wizard = None
            return _answer(awaited, None)
        if not awaited.questions:
            return _answer(awaited, line)
        wizard = self._wizard_of(awaited)
        wizard.take(line)
        if not wizard.is_done:
            taken = Piece(Tone.TOOL, f"  {visible(wizard.answers[-1])}\n")
            return Said(shown=(taken, *questions.description(awaited.questions, wizard.index)))
        # Should the server refuse it, the questions are asked anew.
        self._wizard = None
        return _answer(awaited, wizard.answers)

    def _wizard_of(self, awaited: Awaited) -> Wizard:
        if self._wizard is None or self._wizard.call != (awaited.message_id, awaited.tool_call_id):
            self._wizard = Wizard(awaited)
        return self._wizard


def description(awaited: Awaited) -> Iterator[Piece]:
    """What is asked, as a person is shown it first."""
    if awaited.kind == "approval":
        return approval.description(awaited)
    if awaited.plan is not None:
        return plan_review.description(awaited.plan)
    if awaited.questions:
        return questions.description(awaited.questions, 0)
    asked = shortened(one_line(as_text(awaited.args)), ASKED_LENGTH_MAX)
    return iter([Piece(Tone.ASKED, f"The agent asks: {asked}\n")])


def choices(awaited: Awaited, wizard: Wizard | None = None) -> Iterator[str]:
    if awaited.kind == "approval":
        return approval.choices(awaited)
    if awaited.plan is not None:
        return iter(plan_review.CHOICES)
    if awaited.questions:
        return questions.choices(wizard.question if wizard is not None else awaited.questions[0])
    return iter(())


def _decided(given: dict[str, Any]) -> Said:
    words = "Denied." if given["decision"] == "deny" else _ALLOWED[given["scope"]]
    return Said(approvals=(given,), shown=(Piece(Tone.TOOL, f"  {words}\n"),))


def _answer(awaited: Awaited, answer: Any) -> Said:
    # With the message, so that no other call of this id is meant, should the chat have moved on.
    given = {"tool_call_id": awaited.tool_call_id, "message_id": awaited.message_id, "answer": answer}
    return Said(answers=(given,))


def _unclear(awaited: Awaited) -> Said:
    how = approval.how_to_answer(awaited) if awaited.kind == "approval" else plan_review.HOW_TO_ANSWER
    again = Piece(Tone.NOTE, f"That is no answer to this. {how}\n")
    return Said(shown=(again, *description(awaited)))
