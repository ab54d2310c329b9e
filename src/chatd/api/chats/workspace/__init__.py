"""Routes for the workspace of a chat: its files, their checkpoints, the MCP servers that it declares."""
