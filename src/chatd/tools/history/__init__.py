"""Tools for what was said in the chat itself."""
