"""What a person types while the agent waits for them (pure): approvals, answers, and decisions on plans."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from chatd.cli.talk.answers import approval, plan_review, questions
from chatd.cli.talk.answers.questions import Wizard
from chatd.client.answers import Awaited

SKIP = "/skip"


class Said(Struct, frozen=True, kw_only=True):
    """What a line comes to: something to submit, something to show, or both."""

    approvals: tuple[dict[str, Any], ...] = ()
    answers: tuple[dict[str, Any], ...] = ()
    note: str | None = None


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

    def keys(self, awaited: Awaited) -> Mapping[str, str]:
        """What a single key answers: a whole line, or with a blank at its end the beginning of one."""
        if awaited.questions:
            return {str(number): str(number) for number in range(1, self._wizard_of(awaited).options + 1)}
        if awaited.plan is not None:
            return {"y": "y", "c": "c ", "n": "n"}
        if awaited.kind != "approval":
            return {}
        return {key: key for key in approval.keys(awaited)} | {"n": "n "}

    def take(self, awaited: Awaited, line: str) -> Said:
        if awaited.kind == "approval":
            given = approval.approval_of(awaited, line)
            return Said(approvals=(given,)) if given is not None else _unclear(awaited)
        if awaited.plan is not None:
            answer = plan_review.answer_of(line)
            return _answer(awaited, answer) if answer is not None else _unclear(awaited)
        if line == SKIP:
            self._wizard = None
            return _answer(awaited, None)
        if not awaited.questions:
            return _answer(awaited, line)
        wizard = self._wizard_of(awaited)
        shown = wizard.take(line)
        if not wizard.is_done:
            return Said(note=shown)
        # Should the server refuse it, the questions are asked anew.
        self._wizard = None
        return _answer(awaited, wizard.answers)

    def _wizard_of(self, awaited: Awaited) -> Wizard:
        if self._wizard is None or self._wizard.call != (awaited.message_id, awaited.tool_call_id):
            self._wizard = Wizard(awaited)
        return self._wizard


def described(awaited: Awaited) -> str | None:
    """What is asked, as a person is shown it first. None: nothing that is known here."""
    if awaited.kind == "approval":
        return approval.described(awaited)
    if awaited.plan is not None:
        return plan_review.described(awaited.plan)
    return questions.described(awaited.questions, 0) if awaited.questions else None


def _answer(awaited: Awaited, answer: Any) -> Said:
    # With the message, so that no other call of this id is meant, should the chat have moved on.
    given = {"tool_call_id": awaited.tool_call_id, "message_id": awaited.message_id, "answer": answer}
    return Said(answers=(given,))


def _unclear(awaited: Awaited) -> Said:
    how = approval.how_to_answer(awaited) if awaited.kind == "approval" else plan_review.HOW_TO_ANSWER
    return Said(note=f"That is no answer to this. {how}\n{described(awaited)}")
