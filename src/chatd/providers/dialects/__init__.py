"""The wire formats, one folder each. They are pure, and know nothing of one another.

Files of the same role have the same name in each of them:

dialect.py    the four methods of a dialect, put together
turns.py      wire turns become messages, items or contents of the request
body.py       the request around them
options.py    what an administrator has set for the model, as fields of the request
thinking.py   how hard the model is asked to think
tools.py      the tools as the model is told of them
frames.py     the frames of an answer, as far as we read them
decode.py     frames become events
usage.py      what the answer has used, in our terms

What else is in a folder is there for one wire format alone; what several need is in `shared/`.
"""
