"""What an agent can do. `tool.py` says what a tool is, `toolbox.py` which a chat has; `calls/` runs them.

The other folders have the tools themselves, one file for each.
"""
