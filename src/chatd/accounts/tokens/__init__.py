"""Tokens: what callers show, whom it lets in, and for what."""
