"""What can happen to tool calls."""
