"""Gemini, at Google directly and on Vertex."""

from chatd.providers.dialects.gemini.dialect import GEMINI

__all__ = ["GEMINI"]
