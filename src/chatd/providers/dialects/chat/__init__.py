from chatd.providers.dialects.chat.dialect import CHAT
from chatd.providers.dialects.chat.whole import whole_answer

__all__ = ["CHAT", "whole_answer"]
