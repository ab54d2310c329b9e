"""The official MCP package at work. Nothing else imports it."""
