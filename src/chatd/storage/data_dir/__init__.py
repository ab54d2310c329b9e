"""The data directory: private to its owner, used by one server at a time."""
