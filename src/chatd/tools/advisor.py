"""advisor: ask a second model for advice on how to go on.

How often it may be asked in a turn is counted in the history (`domain/usage/advice.py`), so that a restart
gives no more of it. A question that fails costs no use.
"""

from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.domain.usage.advice import ADVICE, ADVISOR, ERROR, LIMIT_REACHED
from chatd.kit.codec import encode
from chatd.tools.arguments import typed
from chatd.tools.calls.truncate import MARKER_BYTES, truncated
from chatd.tools.tool import AnyTool, Consultation, Setting, Tool, ToolError, touches_nothing

QUESTION_CHARACTERS_MAX = 2000
OUTPUT_TOKENS = 16_384
# With all tries and the pauses between them.
SECONDS_MAX = 3600.0

DESCRIPTION = (
    "Ask an advisor, a second model, how to go on: about an unclear plan, a choice of designs, a bug "
    "that resists, a repeated failure. It has no tools; it is shown the newest part of this chat, shortened. "
    "This must be the only call of your reply."
)
BLANK = "The question is missing. Ask in a few sentences what you want advice on."
NO_USES_LEFT = (
    "The advisor was asked as often as it may be in this turn. Go on by your own judgement, and tell the "
    "user what you are unsure of."
)


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    question: Annotated[
        str,
        Meta(
            description="What you want advice on: the goal, what you have tried, between what you are torn. "
            f"Sum up rather than paste; at most {QUESTION_CHARACTERS_MAX} characters count."
        ),
    ]
    model_intent: Annotated[
        str,
        Meta(description="What it is for, in a few words with -ing: 'weighing two designs'. Only shown."),
    ] = ""


class Terms(Struct, frozen=True, kw_only=True):
    """On which terms a chat may ask. They stay the same for a turn."""

    # In one turn; 0: as often as it likes.
    uses_max: int = 0
    max_output_tokens: int = OUTPUT_TOKENS
    # None: the model of the chat, as hard as it usually thinks.
    model: str | None = None
    effort: Effort | None = None

    def left(self, used: int) -> int | None:
        return max(0, self.uses_max - used) if self.uses_max else None


def advisor(terms: Terms) -> AnyTool:
    return Tool(
        name=ADVISOR,
        description=DESCRIPTION,
        arguments=typed(Args),
        effect=Effect.READ,
        touches=touches_nothing,
        run=partial(_run, terms),
        exclusive=True,
        seconds_max=SECONDS_MAX,
    )


async def _run(terms: Terms, args: Args, setting: Setting) -> Json:
    question = args.question.strip()[:QUESTION_CHARACTERS_MAX]
    if not question:
        raise ToolError(BLANK)
    left = terms.left(setting.advisor_uses)
    if left == 0:
        return {"type": LIMIT_REACHED, "advice": NO_USES_LEFT, "remaining_uses": 0}
    asked = Consultation(
        question=question,
        model=terms.model,
        effort=terms.effort,
        max_output_tokens=terms.max_output_tokens,
    )
    try:
        advice = await setting.consult(asked)
    except ToolError as error:
        return {"type": ERROR, "error": str(error), "remaining_uses": left}
    result = {
        "type": ADVICE,
        "advice": advice.text,
        "advisor_model": advice.model,
        "remaining_uses": left - 1 if left is not None else None,
    }
    return _fitting(result, setting.result_bytes_max)


def _fitting(result: dict[str, Json], bytes_max: int) -> Json:
    """A long advice loses its middle here. Cut by the frame, the result would no longer tell what it is."""
    words = result["advice"]
    room = len(words.encode())
    # More than once only where what is kept has more to be escaped than what is left out.
    while (size := len(encode(result))) > bytes_max and room > 1:
        room = max(1, room * bytes_max // size - MARKER_BYTES)
        result = {**result, "advice": truncated(words, room)}
    return result
