"""Anthropic Messages: Claude at Anthropic, on Bedrock and Vertex, and at servers with the same API."""

from chatd.providers.dialects.anthropic.dialect import ANTHROPIC

__all__ = ["ANTHROPIC"]
