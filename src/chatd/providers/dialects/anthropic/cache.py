"""Marks for the prompt cache: up to here the provider may remember the prompt (pure)."""

from typing import Literal, TypeAlias

from chatd.providers.dialects.anthropic.blocks import Block

Lifetime: TypeAlias = Literal["off", "5m", "1h"]


def mark_last(blocks: list[Block], lifetime: Lifetime) -> None:
    """Marks the last of these. Thoughts and empty text must not be marked, but nothing we write ends so."""
    if blocks and lifetime != "off":
        # Five minutes is what it means without a word, also to servers that know no other.
        blocks[-1]["cache_control"] = {"type": "ephemeral"} | ({"ttl": lifetime} if lifetime != "5m" else {})
