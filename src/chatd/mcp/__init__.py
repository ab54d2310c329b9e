"""Tools that MCP servers offer. `of_chat.py` has the servers of a chat, `tools/` makes their tools ours."""
