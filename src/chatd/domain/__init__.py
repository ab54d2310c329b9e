"""What a chat is, and everything that may happen to it. Pure: no clock, no randomness, no I/O.

Start with `machine.py`: the table `MOVES`, and `decide`, through which every change goes.
"""
