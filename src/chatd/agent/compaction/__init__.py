"""Making a history shorter when it fills the model's context. `compact.py` is the entry.

It never fails a chat: when no model can write the summary, `without_model.py` does.
"""
