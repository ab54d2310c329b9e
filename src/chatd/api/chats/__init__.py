"""Routes for a chat. `chats.py` is the chat itself, `turns.py` stops and retries, `stream.py` shows it live.

What is within a chat has folders: its messages, its approvals, its workspace, and what its model was told.
"""
