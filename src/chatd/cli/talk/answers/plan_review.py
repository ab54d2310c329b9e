"""A plan in the terminal (pure): what a person is shown of it, and what their answer means."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from chatd.client.answers import Plan
from chatd.kit.text import visible

# Of the plan, and of how it differs. More is in `chatd plan`.
SHOWN_LINES_MAX = 200

PROMPT: Final = "y/c/n> "
HOW_TO_ANSWER: Final = "Type y, c or n, and behind c what is to be different."
DECISIONS: Final[Mapping[str, str]] = {
    "y": "accept",
    "yes": "accept",
    "c": "revise",
    "change": "revise",
    "n": "decline",
    "no": "decline",
}


def described(plan: Plan) -> str:
    return "\n".join(_lines(plan))


def _lines(plan: Plan) -> Iterator[str]:
    yield f"The agent proposes a plan (version {plan.version}):"
    yield from _shown(plan.text)
    if plan.diff:
        yield f"Changed since version {plan.version - 1}:"
        yield from _shown(plan.diff)
    yield "  y  accept it: the agent carries it out"
    yield "  c  have it changed; write behind it what is to be different"
    yield "  n  decline it, and stop"


def _shown(text: str) -> Iterator[str]:
    lines = visible(text).rstrip("\n").split("\n")
    yield from (f"  {line}" for line in lines[:SHOWN_LINES_MAX])
    if len(lines) > SHOWN_LINES_MAX:
        yield f"  [{len(lines) - SHOWN_LINES_MAX} more lines; `chatd plan` prints all of them]"


def answer_of(line: str) -> dict[str, Any] | None:
    """As the server takes it. None: the line is no answer."""
    word, _, rest = line.strip().partition(" ")
    decision, feedback = DECISIONS.get(word.lower()), rest.strip()
    if decision is None or (decision == "revise" and not feedback):
        return None
    return {"decision": decision} | ({"feedback": feedback} if feedback else {})
