"""SQLite: one writer thread that commits what waits together, and readers of their own."""
