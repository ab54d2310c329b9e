"""How reading a line can end without one: Ctrl-C, and no more lines."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Pressed(Exception):
    """No error: the user pressed Ctrl-C."""


class Ended(Exception):
    """No error: there are no more lines."""


@contextmanager
def ctrl_c(press: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C is ours at every moment, also between two lines: it stops the agent and not the program.

    At the end it is ignored for good: users who press twice to leave often press once more, and Python
    would raise KeyboardInterrupt in a program that ends well. So it is no handler of the loop: removing
    one of those puts Python's own back.
    """
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(press))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
