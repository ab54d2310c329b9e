"""Reading and writing files such that no path leads out of the workspace."""
