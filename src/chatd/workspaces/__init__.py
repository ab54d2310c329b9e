"""Where the tools of a chat act. `workspace.py`, `files.py` and `processes.py` are what tools know of it.

`local/` is a directory on this machine.
"""
