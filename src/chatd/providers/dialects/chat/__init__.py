"""OpenAI's Chat Completions, and the servers that speak them in their own way."""

from chatd.providers.dialects.chat.dialect import CHAT
from chatd.providers.dialects.chat.whole import whole_answer

__all__ = ["CHAT", "whole_answer"]
