"""What operators see: log lines, numbers, readiness."""
