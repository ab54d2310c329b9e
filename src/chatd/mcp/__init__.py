"""Tools that MCP servers offer. `chat_servers.py` has those of a chat, `tools/` makes their tools ours."""
