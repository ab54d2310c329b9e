"""What a typed line means while the agent waits for a person (pure)."""
