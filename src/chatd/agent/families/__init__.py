"""Chats that work for others: which chats may have them, with which models, and how much they may use."""
