"""Which worker drives which chat. `worker.py` takes chats, and `runner.py` drives one of them.

`duties.py` is the table from the status of a chat to what its runner does.
"""
