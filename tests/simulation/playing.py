"""How a story is played: in virtual time, to its end, and with a note of what plays it again if it fails."""

import gc
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from tests.support.virtual import run_virtually

T = TypeVar("T")

# Then it is collected, also in the middle of a story that never ends.
GARBAGE_OBJECTS_MAX = 500_000
# A hundred times as many as most stories have; four hours of waiting for a turn to end have as many.
STEPS_MAX = 400_000


def played(story: Callable[[], Awaitable[T]], *, seed: int, note: str) -> T:
    async def told() -> T:
        return await story()

    try:
        with warnings.catch_warnings(), _collecting_seldom():
            # A process that is killed leaves behind what it was about to begin.
            warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
            return run_virtually(told(), seed=seed, steps_max=STEPS_MAX)
    except BaseException as error:
        error.add_note(note)
        raise


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """To look for garbage again and again takes a tenth of the time. Most stories make less than this."""
    usual = gc.get_threshold()
    gc.set_threshold(GARBAGE_OBJECTS_MAX)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
