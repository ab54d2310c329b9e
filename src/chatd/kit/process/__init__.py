"""The process itself: signals, memory, variables that are not ours."""
