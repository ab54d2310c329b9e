"""Passwords, where the settings allow them: what may be one, how they are kept, and signing in with one."""
