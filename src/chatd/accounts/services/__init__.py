"""Services: programs with tokens of their own, which may speak for others."""
