"""Streams of chats: of the one that is talked in, and of those that work for it."""
