"""What the audit is told of requests: refusals, and what administrators read."""
