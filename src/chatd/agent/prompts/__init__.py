"""The system prompt of a chat: named parts in one order, which `parts.py` lists."""
