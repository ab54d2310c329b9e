"""Questions of an agent in the terminal (pure): one after the other, and what each typed line means."""

from collections.abc import Iterator, Sequence

from chatd.cli.talk.showing.pieces import Piece, Tone
from chatd.client.answers import Awaited, Question
from chatd.kit.text import visible

OWN_WORDS = "  Type a number, or your answer in your own words. /skip leaves it to the agent."


def description(questions: Sequence[Question], index: int) -> Iterator[Piece]:
    """One question, without its options."""
    asked = questions[index]
    count = f" ({index + 1} of {len(questions)})" if len(questions) > 1 else ""
    yield Piece(Tone.ASKED, f"The agent asks{count}: {visible(asked.header)}\n")
    for line in visible(asked.question).split("\n"):
        yield Piece(Tone.NOTE, f"  {line}\n")


def choices(question: Question) -> Iterator[str]:
    for number, option in enumerate(question.options, start=1):
        yield f"  {number}  {visible(option.label)}"
        yield from (f"     {line}" for line in visible(option.description).split("\n") if line)
    yield OWN_WORDS


def chosen(question: Question, line: str) -> str:
    """The label of the option that the number names; other words are the answer themselves."""
    words = line.strip()
    if words.isdecimal() and 1 <= int(words) <= len(question.options):
        return question.options[int(words) - 1].label
    return words


class Wizard:
    """Asks the questions of one call, each after the one before."""

    def __init__(self, awaited: Awaited) -> None:
        self.call = (awaited.message_id, awaited.tool_call_id)
        self._questions = awaited.questions
        self.answers: list[str] = []

    @property
    def is_done(self) -> bool:
        return len(self.answers) == len(self._questions)

    @property
    def index(self) -> int:
        """Of the question that is next."""
        return min(len(self.answers), len(self._questions) - 1)

    @property
    def question(self) -> Question:
        return self._questions[self.index]

    def prompt(self) -> str:
        options = len(self.question.options)
        return f"1-{options} or words> " if options else "words> "

    def take(self, line: str) -> None:
        """Answers the question that is next."""
        self.answers.append(chosen(self.question, line))
