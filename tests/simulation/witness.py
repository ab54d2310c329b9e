"""The world outside of all processes: what tools really did, and when."""

import asyncio


class Witness:
    def __init__(self) -> None:
        self.seen: list[tuple[float, str]] = []

    def saw(self, line: str) -> None:
        self.seen.append((asyncio.get_running_loop().time(), line))

    def times(self, start: str) -> list[float]:
        return [moment for moment, line in self.seen if line.startswith(start)]
