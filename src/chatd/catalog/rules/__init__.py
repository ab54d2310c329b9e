"""What may be saved of a provider, a model or a prompt (pure)."""
