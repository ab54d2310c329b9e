"""A plan in the terminal (pure): what a person is shown of it, and what their answer means."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from chatd.cli.talk.showing.pieces import END_OF_TEXT, Piece, Tone
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
CHOICES: Final = (
    "  y  accept it: the agent carries it out",
    "  c  have it changed; write behind it what is to be different",
    "  n  decline it, and stop",
)


def description(plan: Plan) -> Iterator[Piece]:
    """The plan as Markdown, and how it differs from the version before."""
    yield Piece(Tone.ASKED, f"The agent proposes a plan (version {plan.version}):\n")
    yield from _shown(plan.text, Tone.TEXT)
    yield END_OF_TEXT
    if plan.diff:
        yield Piece(Tone.ASKED, f"Changed since version {plan.version - 1}:\n")
        yield from _shown(plan.diff, Tone.DIFF)


def _shown(text: str, tone: Tone) -> Iterator[Piece]:
    lines = visible(text).rstrip("\n").split("\n")
    for line in lines[:SHOWN_LINES_MAX]:
        yield Piece(tone, f"{line}\n")
    if (more := len(lines) - SHOWN_LINES_MAX) > 0:
        yield Piece(Tone.NOTE, f"[{more} more lines; `chatd plan` prints all of them]\n")


def answer_of(line: str) -> dict[str, Any] | None:
    """As the server takes it. None: the line is no answer."""
    word, _, rest = line.strip().partition(" ")
    decision, feedback = DECISIONS.get(word.lower()), rest.strip()
    if decision is None or (decision == "revise" and not feedback):
        return None
    return {"decision": decision} | ({"feedback": feedback} if feedback else {})
