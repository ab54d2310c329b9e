"""Trying a model out: one tiny call, and what came of it in words."""

from typing import Protocol

from msgspec import Struct


class ProbeResult(Struct, frozen=True, kw_only=True):
    """`says` is a sentence for a person: what the model answered, or what stood in the way."""

    model: str
    is_well: bool
    says: str
    milliseconds: int = 0
    # Of a failure: as in a chat's last error.
    kind: str | None = None


class Prober(Protocol):
    async def probe(self, model_name: str) -> ProbeResult:
        """Have the model say a word. Raises nothing: what goes wrong is the result."""
        ...


class NoProber:
    """A server that calls no models."""

    async def probe(self, model_name: str) -> ProbeResult:
        return ProbeResult(
            model=model_name, is_well=False, says="This server calls no models itself.", kind="config"
        )
