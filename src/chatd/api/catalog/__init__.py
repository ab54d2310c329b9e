"""Routes for what is set up: providers, models, keys, MCP servers, skills, the advisor, settings."""
