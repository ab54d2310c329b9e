"""What an agent does with a chat: it calls the model, runs tools, and commits what came back.

`step.py` is the loop, and has no rule of its own; `hold/` is the only way to write.
"""
