"""MCP servers as they are set up, by the settings file or in the database. `chatd.mcp` connects to them."""
