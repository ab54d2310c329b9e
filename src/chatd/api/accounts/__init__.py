"""Routes for signing in and out, and for a user's own tokens."""
