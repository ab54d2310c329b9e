"""How a story is played: in virtual time, to its end, and with a note of what plays it again if it fails."""

import gc
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from tests.support.virtual import run_virtually

T = TypeVar("T")


def played(story: Callable[[], Awaitable[T]], *, seed: int, note: str) -> T:
    async def told() -> T:
        return await story()

    try:
        with warnings.catch_warnings(), _collecting_at_the_end():
            # A process that is killed leaves behind what it was about to begin.
            warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
            return run_virtually(told(), seed=seed)
    except BaseException as error:
        error.add_note(note)
        raise


@contextmanager
def _collecting_at_the_end() -> Iterator[None]:
    """Looking for garbage again and again takes a tenth of the time, at other moments each time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
