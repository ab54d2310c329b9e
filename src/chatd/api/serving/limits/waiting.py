"""Requests that are held while the database is away, before anybody can look up whose they are.

So they are counted by address: a stranger must not fill the server with connections that wait.
"""

from collections import Counter
from typing import Self


class Waiting:
    def __init__(self, *, in_all: int, of_network: int) -> None:
        self._in_all = in_all
        self._of_network = of_network
        self._by_network: Counter[str] = Counter()

    def place(self, network: str) -> "Place":
        """For a request from there. It is taken when the request has to wait."""
        return Place(self, network)

    def take(self, network: str) -> bool:
        is_full = self._by_network.total() >= self._in_all or self._by_network[network] >= self._of_network
        if not is_full:
            self._by_network[network] += 1
        return not is_full

    def leave(self, network: str) -> None:
        self._by_network[network] -= 1
        if not self._by_network[network]:
            del self._by_network[network]


class Place:
    """What one request takes, until its block ends."""

    def __init__(self, waiting: Waiting, network: str) -> None:
        self._waiting = waiting
        self._network = network
        self._taken = False

    def take(self) -> bool:
        """Whether the request may wait. Once it may, it may go on to."""
        self._taken = self._taken or self._waiting.take(self._network)
        return self._taken

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken:
            self._waiting.leave(self._network)
