"""What a user sets at one server of a fleet, the others know at once, whatever they remember."""

import asyncio
import json
from collections.abc import Sequence

from chatd.catalog.catalog import Catalog
from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from tests.simulation.chaos import Violation
from tests.simulation.servers.http import ask
from tests.simulation.servers.process import Process
from tests.words import OWNER

SETTINGS = "/api/v1/users/me/settings"
# A tick of the bus and a moment, and much less than anything is remembered.
TRAVEL_SECONDS = 0.5
# Until two servers know of each other, after whatever happened.
MEETING_SECONDS = 300.0


async def change_prompt(processes: Sequence[Process], clock: Clock) -> None:
    """When nothing breaks any more."""
    async with asyncio.timeout(MEETING_SECONDS):
        while not await _is_told(processes):
            await clock.sleep(1)


async def _is_told(processes: Sequence[Process]) -> bool:
    """False: they do not know of each other yet, one was about to end, or the database is still away."""
    pair = [process for process in processes if process.is_heard][:2]
    if len(pair) < 2:
        return False
    here, there = pair
    body = {"prompt": f"Told by {here.life.name}."}
    try:
        await _prompt_at(there)
        answer = await ask(here, "PATCH", SETTINGS, json.dumps(body).encode())
        await asyncio.sleep(TRAVEL_SECONDS)
        known = await _prompt_at(there)
    except Unavailable:
        return False
    if answer is None or answer.status != 200 or not there.is_heard:
        return False
    if known != body["prompt"]:
        raise Violation(f"{there.life.name} was not told of {body['prompt']!r}, and knows {known!r}")
    return True


async def _prompt_at(process: Process) -> str:
    """Raises Unavailable, also when the process ends meanwhile, which cancels who waits for the reading."""
    catalog = process.catalog
    assert isinstance(catalog, Catalog)
    reading = process.serve(catalog.prompt_of(OWNER))
    await asyncio.wait([reading])
    if reading.cancelled():
        raise Unavailable("The process has ended.")
    return reading.result()
