"""Watching lists of chats: what a sidebar needs to stay true."""
