"""What becomes of users: suspended, deleted, back; and of their chats."""
