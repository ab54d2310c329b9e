"""Ctrl-C, from the first line that is read to the end of the program."""

import asyncio
import signal
from collections.abc import Iterator

import pytest

from chatd.cli.talk.typing.ending import ctrl_c


@pytest.fixture
def restored() -> Iterator[None]:
    """What a command does to its process must not happen to the tests."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("restored")
async def test_ctrl_c_is_told_and_after_the_talk_it_is_no_failure() -> None:
    pressed = asyncio.Event()
    with ctrl_c(pressed.set):
        signal.raise_signal(signal.SIGINT)
        async with asyncio.timeout(30):
            await pressed.wait()

    # Nobody is left to be told, and what is ending well does not become a failure.
    signal.raise_signal(signal.SIGINT)
    await asyncio.sleep(0)
