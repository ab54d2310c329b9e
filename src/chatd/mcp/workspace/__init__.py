"""MCP servers that a workspace declares in `.mcp.json`, and whether its user trusts that file."""
