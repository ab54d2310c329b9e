"""Routes for attachments, and for chats as files: export and import."""
