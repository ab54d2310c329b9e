"""What deleted chats leave behind, and how it is found and removed: commands, checkpoints, working copies."""
