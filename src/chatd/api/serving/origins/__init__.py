"""Where browsers reach this server, and from which pages."""
