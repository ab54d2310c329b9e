"""ask_user_question: some questions, each with options, to the person whose chat it is.

The chat waits for as long as the person takes, and holds nothing meanwhile but its row.
"""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.asked import AskedQuestion, QuestionOption, Questions
from chatd.domain.call import Effect
from chatd.tools.arguments import typed
from chatd.tools.tool import Asking, Tool, ToolError, not_asked, touches_nothing

QUESTIONS_MAX = 8
OPTIONS_MIN, OPTIONS_MAX = 2, 4

Header = Annotated[
    str, Meta(min_length=1, max_length=80, description="What it is about, in one or two words.")
]
Words = Annotated[str, Meta(min_length=1, max_length=2000)]
Label = Annotated[str, Meta(min_length=1, max_length=200, description="A few words; the answer, if chosen.")]
Meaning = Annotated[str, Meta(min_length=1, max_length=1000, description="What choosing it would mean.")]


class OptionArgs(Struct, frozen=True, forbid_unknown_fields=True):
    label: Label
    description: Meaning


class QuestionArgs(Struct, frozen=True, forbid_unknown_fields=True):
    header: Header
    question: Words
    options: Annotated[
        tuple[OptionArgs, ...],
        Meta(
            min_length=OPTIONS_MIN,
            max_length=OPTIONS_MAX,
            description="The user can always answer in words of their own instead: add no option for that.",
        ),
    ]


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    questions: Annotated[tuple[QuestionArgs, ...], Meta(min_length=1, max_length=QUESTIONS_MAX)]


async def ask(args: Args, _: Asking) -> Questions:
    return Questions(questions=tuple(_asked(*pair) for pair in enumerate(args.questions)))


def _asked(index: int, given: QuestionArgs) -> AskedQuestion:
    here = f"questions[{index}]"
    options = tuple(
        QuestionOption(
            label=_said(option.label, f"{here}.options[{number}].label"),
            description=_said(option.description, f"{here}.options[{number}].description"),
        )
        for number, option in enumerate(given.options)
    )
    if len({option.label.casefold() for option in options}) < len(options):
        raise ToolError(f"{here}.options has the same label twice. Give each option a label of its own.")
    return AskedQuestion(
        header=_said(given.header, f"{here}.header"),
        question=_said(given.question, f"{here}.question"),
        options=options,
    )


def _said(words: str, where: str) -> str:
    if not (said := words.strip()):
        raise ToolError(f"{where} is empty. Write something there, and ask again.")
    return said


ask_user_question = Tool(
    name="ask_user_question",
    description=(
        "Ask the user, and wait for the answer, where you cannot find out yourself and a wrong guess would "
        "cost more than the wait. Ask all that you need to know at once. Each answer is one of the options, "
        "or words of the user's own."
    ),
    arguments=typed(Args),
    effect=Effect.READ,
    run=not_asked,
    touches=touches_nothing,
    ask=ask,
)
