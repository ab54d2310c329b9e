"""What was typed, on its way to the server."""
