"""The few shapes of concurrency that we use, and how long to wait before another try."""
