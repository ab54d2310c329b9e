"""How often callers may ask, and how much they may send."""
