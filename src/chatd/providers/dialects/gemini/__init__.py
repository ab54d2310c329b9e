from chatd.providers.dialects.gemini.dialect import GEMINI

__all__ = ["GEMINI"]
