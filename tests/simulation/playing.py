"""How a story is played: in virtual time, to its end, and with a note of what plays it again if it fails."""

import gc
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from tests.support.virtual import run_virtually

T = TypeVar("T")

# A hundred times as many as most stories have; four hours of waiting for a turn to end have as many.
STEPS_MAX = 400_000


def played(story: Callable[[], Awaitable[T]], *, seed: int, note: str) -> T:
    async def told() -> T:
        return await story()

    # What the story before has left. When that ended, its world was still looked at; what is found then is
    # taken for something that lasts, and looked at again and again.
    collect_garbage()
    try:
        with _leaving_behind():
            return run_virtually(told(), seed=seed, steps_max=STEPS_MAX)
    except BaseException as error:
        error.add_note(note)
        raise


def collect_garbage() -> None:
    with _leaving_behind():
        gc.collect(0)


@contextmanager
def _leaving_behind() -> Iterator[None]:
    """A process that is killed leaves behind what it was about to begin."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
        yield
