"""Which worker drives the chat, and the repair of a damaged row."""
