"""What can be typed behind a slash."""
