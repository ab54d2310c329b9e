"""Which models can be used: `ollama` finds those on this machine, `probe` makes one tiny call to a model."""
