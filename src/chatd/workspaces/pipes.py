"""A program that is spoken to over its standard input and output, as an MCP server is."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct


class Program(Struct, frozen=True, kw_only=True):
    """The program with its arguments, and what its environment has beside the usual."""

    command: tuple[str, ...]
    env: Mapping[str, str] = {}


class Hangup(Exception):
    """The program does not listen any more."""


class Pipes(Protocol):
    """Ours for as long as the block lasts that opened them."""

    async def read(self) -> bytes:
        """What it prints next; empty when it prints no more."""
        ...

    async def write(self, data: bytes) -> None:
        """Raises Hangup when the program does not take it."""
        ...

    @property
    def complaints(self) -> str:
        """The end of what it printed as errors, and why it was stopped, if it was. For people."""
        ...
