"""Reading chats without a lock. `read.py` is the entry."""
