"""Talking in the terminal: `chatd chat`, `send` and `watch`. `talk.py` puts the parts of a chat together.

What is shown is pure: `showing/view.py` turns events into text, `drawing/roll.py` that into rows.
`display.py` puts them on the screen, and `listening.py` obeys what is typed.
"""
