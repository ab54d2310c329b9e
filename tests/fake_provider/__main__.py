"""The fake provider as a process of its own: `python -m tests.fake_provider --port 0`.

It prints its address when it can be called, and answers everyone with words at a steady pace until it is
told to stop. `GET /report` tells what it has seen.
"""

import asyncio
import signal

import click
import uvloop

from tests.fake_provider.script import steady
from tests.fake_provider.server import FakeProvider

READY = "fake provider ready at "


@click.command()
@click.option("--port", default=0, show_default=True, help="0 takes any that is free.")
@click.option("--deltas", default=200, show_default=True, help="How many pieces an answer has.")
@click.option("--per-second", default=50.0, show_default=True, help="How many of them come in a second.")
def main(port: int, deltas: int, per_second: float) -> None:
    uvloop.run(_serve(port, deltas, per_second))


async def _serve(port: int, deltas: int, per_second: float) -> None:
    answer = steady(deltas, per_second)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    async with FakeProvider(otherwise=lambda _: answer, port=port) as fake:
        click.echo(READY + fake.address)
        await stop.wait()


if __name__ == "__main__":
    main()
