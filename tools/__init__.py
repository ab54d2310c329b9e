"""Programs for people who work on chatd; the server needs none of them."""
