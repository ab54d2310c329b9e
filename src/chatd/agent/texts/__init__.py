"""Texts about a chat that a model writes beside its turns: a title, a label for the last turn, a summary."""
