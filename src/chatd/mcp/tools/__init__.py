"""The tools of MCP servers as tools like any other: listed, named, checked, called."""
