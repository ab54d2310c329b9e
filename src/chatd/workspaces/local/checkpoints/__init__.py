"""Files kept before a step changes them, in a git repository of our own, and brought back."""
