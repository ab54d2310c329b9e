"""Calls of tools in a terminal (pure): what is said of each, what it prints, what has come of it."""
