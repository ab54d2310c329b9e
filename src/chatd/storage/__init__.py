"""One transaction for each transition, on SQLite and on PostgreSQL.

`database.py` says what both promise. `transactions/transact.py` changes chats, `reads/read.py` reads them.
"""
