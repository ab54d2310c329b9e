"""Which tools a chat has: `toolboxes.py` makes them, `availability.py` says for which kinds of chat.

Groups of tools are put together in `app/agents.py`.
"""
