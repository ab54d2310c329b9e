"""Routes for people who wonder about an agent: its context, its prompt, its debug records."""
