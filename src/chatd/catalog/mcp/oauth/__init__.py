"""Signing in at MCP servers, with OAuth 2.1.

`discovery` finds out where, and registers a client; `sign_in` sends a user there and back; `tokens` keeps
what the user was given usable; `revocation` gives it back. `exchange` has the requests, with their bounds.
"""
