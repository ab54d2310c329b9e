"""Questions of an agent in the terminal (pure): one after the other, and what each typed line means."""

from collections.abc import Iterator, Sequence

from chatd.client.answers import Awaited, Question
from chatd.kit.text import visible


def described(questions: Sequence[Question], index: int) -> str:
    """One question with its options."""
    return "\n".join(_lines(questions, index))


def _lines(questions: Sequence[Question], index: int) -> Iterator[str]:
    asked = questions[index]
    count = f" ({index + 1} of {len(questions)})" if len(questions) > 1 else ""
    yield f"The agent asks{count}: {visible(asked.header)}"
    yield from (f"  {line}" for line in visible(asked.question).split("\n"))
    for number, option in enumerate(asked.options, start=1):
        yield f"  {number}  {visible(option.label)}"
        yield from (f"     {line}" for line in visible(option.description).split("\n") if line)
    yield "  Type a number, or your answer in your own words. /skip leaves it to the agent."


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
    def options(self) -> int:
        """Of the question that is next."""
        return len(self._questions[min(len(self.answers), len(self._questions) - 1)].options)

    def prompt(self) -> str:
        options = self.options
        return f"1-{options} or words> " if options else "words> "

    def take(self, line: str) -> str | None:
        """Answers the question that is next. What to show then; None: that was the last one."""
        self.answers.append(chosen(self._questions[len(self.answers)], line))
        return None if self.is_done else described(self._questions, len(self.answers))
