"""What may be saved of an MCP server: each field, all of them together, and the address."""
