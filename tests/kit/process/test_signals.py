import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PROGRAM = """
import asyncio, sys, time, uvloop
from chatd.kit.process.signals import stop_on_signals

def say(words):
    print(words, flush=True)

async def main(seconds, ending):
    with stop_on_signals(within_seconds=float(seconds), asked=say, cut_short=say) as stop:
        say("ready")
        await stop.wait()
        if ending == "blocks":
            time.sleep(3600)
        if ending == "hangs":
            await asyncio.Event().wait()

with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main(*sys.argv[1:]))
say("stopped")
"""


@contextmanager
def running(seconds: float, ending: str) -> "Iterator[subprocess.Popen[str]]":
    arguments = [sys.executable, "-c", PROGRAM, str(seconds), ending]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_asks_a_process_to_stop(number: signal.Signals) -> None:
    with running(3600, "stops") as process:
        process.send_signal(number)
        output, _ = process.communicate()

    assert (process.returncode, output) == (0, f"{number.name}\nstopped\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_it_at_once(number: signal.Signals) -> None:
    with running(3600, "hangs") as process:
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        assert process.stdout.readline() == "SIGTERM\n"
        process.send_signal(number)
        output, _ = process.communicate()

    assert (process.returncode, output) == (128 + number, f"a second {number.name}\n")


@pytest.mark.parametrize("ending", ["hangs", "blocks"])
def test_a_process_that_does_not_stop_in_time_is_ended(ending: str) -> None:
    with running(0.1, ending) as process:
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate()

    assert (process.returncode, output) == (1, "SIGTERM\n0 seconds are over\n")
