"""A line for a question that had not been seen yet is no answer to it."""

import asyncio
import io
from contextlib import redirect_stdout

from chatd.cli.talk.typing.lined import AT_WORK, Lined

PATIENCE_SECONDS = 30


class Paper(io.StringIO):
    """Tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = asyncio.Event()

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


async def test_a_line_that_comes_before_its_question_is_known_as_such() -> None:
    lines = asyncio.StreamReader()
    keys = Lined(lines, asyncio.Event())
    lines.feed_data(b"y\n")

    with redirect_stdout(Paper()) as paper:
        assert await keys.read("y/n> ") == "y\n"

    assert keys.was_begun_before
    assert paper.getvalue() == ""


async def test_a_question_is_shown_when_all_is_quiet_and_the_line_behind_it_answers_it() -> None:
    lines = asyncio.StreamReader()
    keys = Lined(lines, asyncio.Event())
    with redirect_stdout(Paper()) as paper:
        async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
            reading = group.create_task(keys.read(AT_WORK))
            # It begins to read.
            await asyncio.sleep(0)
            keys.show("y/n> ", ())
            await paper.written.wait()
            lines.feed_data(b"y\n")

    assert reading.result() == "y\n"
    assert paper.getvalue() == "y/n> "
    assert not keys.was_begun_before
