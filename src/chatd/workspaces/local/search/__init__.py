"""Finding files and lines in them, with ripgrep."""
