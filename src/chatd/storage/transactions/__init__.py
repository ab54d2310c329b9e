"""Changing chats. `transact.py` is the entry: lock, decide, write, commit, hint.

`load.py` reads before the decision, `write.py` writes the outcome; `families.py` is for several chats.
"""
