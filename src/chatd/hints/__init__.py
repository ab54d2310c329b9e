"""Hints say "look again", after a commit and best effort. `bus.py` is the promise, `hint.py` what is sent."""
