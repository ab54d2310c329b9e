"""What people have set up: providers, models, keys, prompts, skills, MCP servers.

`catalog.py` is what agents ask at every step, and caches for a few seconds; a store reads past the cache.
"""
