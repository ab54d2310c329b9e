"""A directory on this machine as a workspace: its files, search, commands, sandbox and checkpoints."""
