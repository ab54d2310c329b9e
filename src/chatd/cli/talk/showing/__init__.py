"""What is shown of a chat (pure): its text piece by piece, its tools, and what it is doing."""
