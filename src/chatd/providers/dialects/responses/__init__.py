"""OpenAI's Responses, at OpenAI itself and at Azure."""

from chatd.providers.dialects.responses.dialect import RESPONSES

__all__ = ["RESPONSES"]
