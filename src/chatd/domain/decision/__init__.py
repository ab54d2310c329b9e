"""From a command to an outcome: what transitions are given (`locked.py`), what they ask for (`change.py`).

`apply.py` works out everything that follows from a change: numbers, ledger, projection, versions.
"""
