"""Whether a call may run, must be asked for, or is denied (pure). `judge.py` is the entry."""
