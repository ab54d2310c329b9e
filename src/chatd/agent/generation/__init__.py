"""The step that calls a model. `generate.py` is the entry, `reply.py` makes a message of the model's stream.

`retry.py` says which failures are tried again; `save_interrupted.py` is what a stopped chat does.
"""
