"""The world outside of all processes: what tools really did and when, and what models really said."""

import asyncio

from tests.simulation.witnesses.overheard import Attempt


class Witness:
    def __init__(self) -> None:
        self.seen: list[tuple[float, str]] = []
        self.attempts: list[Attempt] = []

    def saw(self, line: str) -> None:
        self.seen.append((asyncio.get_running_loop().time(), line))

    def times(self, start: str) -> list[float]:
        return [moment for moment, line in self.seen if line.startswith(start)]
