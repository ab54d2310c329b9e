"""Commands for what is set up: models, MCP servers, skills, the advisor."""
