"""Connections to MCP servers, each a task of its own, kept between turns."""
