"""HTTP in, commands and reads out. `routes.py` lists every route, `router.py` has what they share.

A handler is given checked values and answers with a value; it decides nothing about a chat.
"""
