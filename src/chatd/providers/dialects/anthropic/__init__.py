"""The Anthropic Messages dialect: Claude at Anthropic, on Bedrock and Vertex, and whoever speaks like it."""

from chatd.providers.dialects.anthropic.dialect import ANTHROPIC

__all__ = ["ANTHROPIC"]
