"""What model calls cost, how long messages are, and how full a context is."""
