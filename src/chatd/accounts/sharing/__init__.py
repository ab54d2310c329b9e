"""Sharing chats: grants, what each reader marks for themselves, and handing a chat over."""
