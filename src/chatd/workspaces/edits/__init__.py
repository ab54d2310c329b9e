"""What becomes of a text that is edited (pure)."""
