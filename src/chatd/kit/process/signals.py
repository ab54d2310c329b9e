"""How a process is asked to stop, and that it does.

The first SIGINT or SIGTERM asks it to stop in order. A second one ends it at once, and so does the time
that it has for stopping, whatever hangs: a database, a disk, a thread.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPPING = (signal.SIGINT, signal.SIGTERM)
# It could not stop in order within its time.
OVERDUE = 1
# As a shell has it for a process that a signal has ended.
ENDED_BY_SIGNAL = 128


@contextmanager
def stop_on_signals(
    *,
    within_seconds: float,
    asked: Callable[[str], None] = lambda _: None,
    cut_short: Callable[[str], None] = lambda _: None,
) -> Iterator[asyncio.Event]:
    """An event that is set when the process should stop.

    `asked` is told the name of the signal, `cut_short` why the process ends before everything else has.
    From the first signal on the process ends within these seconds, also if the block has been left: a
    thread that hangs would keep it.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def end(why: str, code: int) -> None:
        cut_short(why)
        # Neither handlers nor threads nor buffers are waited for: each of them may be what hangs.
        os._exit(code)

    def on_signal(number: signal.Signals) -> None:
        if stop.is_set():
            end(f"a second {number.name}", ENDED_BY_SIGNAL + number)
        overdue = threading.Timer(within_seconds, end, (f"{within_seconds:.0f} seconds are over", OVERDUE))
        overdue.daemon = True
        overdue.start()
        asked(number.name)
        stop.set()

    for each in STOPPING:
        loop.add_signal_handler(each, on_signal, each)
    try:
        yield stop
    finally:
        for each in STOPPING:
            loop.remove_signal_handler(each)
            if stop.is_set():
                # What is left to do is little, and a second signal still means at once.
                signal.signal(each, lambda number, _: os._exit(ENDED_BY_SIGNAL + number))
