"""What can happen to a turn: attempts, steps, retries, stops, its end."""
