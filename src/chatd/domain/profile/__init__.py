"""What a chat is and what it is called: its kind, its title and other texts about it."""
