"""Talking in the terminal: `chatd chat`, `send` and `watch`. `chat.py` puts the parts together.

What is shown is worked out purely (`transcript.py`, `rows.py`); `screen.py` draws, `keyboard.py` reads.
"""
