"""What a person's answer to a call means: whether it fits what was asked, and what a model is told (pure)."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from chatd.domain.approvals.asked import Asked, AskedQuestion, ProposedPlan, Questions
from chatd.domain.part import Json
from chatd.domain.setup import SetupChange
from chatd.errors import BadInput

# Of one answer, or of what is said to a plan.
ANSWER_LENGTH_MAX = 10_000

NOT_ANSWERED = "The user left the questions unanswered. Decide yourself, and say what you have assumed."


class PlanDecision(StrEnum):
    ACCEPT = "accept"
    REVISE = "revise"
    DECLINE = "decline"


class Answered(Struct, frozen=True, kw_only=True):
    # For the model.
    result: Json
    # Kept in the ledger.
    decision: str | None = None
    setup: SetupChange | None = None
    ends_turn: bool = False


def answered(asked: Asked | None, given: Json) -> Answered:
    """Raises BadInput, naming the question. What asks nothing in particular takes any answer."""
    match asked:
        case None:
            return Answered(result=given)
        case Questions(questions=questions):
            return _questions_answered(questions, given)
        case ProposedPlan() as plan:
            return _plan_answered(plan, given)


def _questions_answered(questions: tuple[AskedQuestion, ...], given: Json) -> Answered:
    if given is None:
        return Answered(result={"answers": None, "note": NOT_ANSWERED})
    words = [given] if isinstance(given, str) else given
    if not isinstance(words, list | tuple) or len(words) != len(questions):
        raise _bad(
            f"There are {len(questions)} question(s), and the answer is no list of as many texts.",
            "Send a text for each question in their order, or null to leave all of them unanswered.",
        )
    answers = [_answer(index, *pair) for index, pair in enumerate(zip(questions, words, strict=True))]
    return Answered(result={"answers": answers})


def _answer(index: int, question: AskedQuestion, given: Json) -> dict[str, Json]:
    words = _text(given, f"The answer to question {index} ({question.header!r})")
    answer: dict[str, Json] = {"question": question.question, "answer": words}
    if words not in {option.label for option in question.options}:
        answer["in_own_words"] = True
    return answer


_PLAN_NOTES: Mapping[PlanDecision, str] = {
    PlanDecision.ACCEPT: "The user accepted the plan. Plan mode is over: carry the plan out now.",
    PlanDecision.REVISE: "The user wants the plan changed. Change it as they say, and propose it again.",
    PlanDecision.DECLINE: "The user declined the plan. Do not carry it out.",
}


def _plan_answered(plan: ProposedPlan, given: Json) -> Answered:
    fields = {"decision": given} if isinstance(given, str) else given
    if not isinstance(fields, dict) or not set(fields) <= {"decision", "feedback"}:
        raise _bad("A plan is answered with an object of `decision` and, perhaps, `feedback`.", _PLAN_HINT)
    try:
        decision = PlanDecision(str(fields.get("decision")))
    except ValueError:
        raise _bad(f"{fields.get('decision')!r} is no decision on a plan.", _PLAN_HINT) from None
    feedback = fields.get("feedback")
    if feedback is not None or decision is PlanDecision.REVISE:
        feedback = _text(feedback, "The `feedback`")
    result = {"decision": decision.value, "version": plan.version, "note": _PLAN_NOTES[decision]}
    return Answered(
        result=result | ({"feedback": feedback} if feedback is not None else {}),
        decision=decision.value,
        setup=SetupChange(mode=None) if decision is PlanDecision.ACCEPT else None,
        ends_turn=decision is PlanDecision.DECLINE,
    )


_PLAN_HINT = "The decision is accept, revise (with feedback, which the model reads) or decline."


def _text(given: Json, what: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise _bad(
            f"{what} is no text, or an empty one.", "Send the label of an option, or words of your own."
        )
    if len(given) > ANSWER_LENGTH_MAX:
        raise _bad(f"{what} has more than {ANSWER_LENGTH_MAX:,} characters.", "Say it in fewer words.")
    return given.strip()


def _bad(why: str, hint: str) -> BadInput:
    return BadInput("bad_answer", why, field="answers", hint=hint)
