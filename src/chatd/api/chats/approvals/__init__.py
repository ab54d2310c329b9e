"""Routes for what an agent waits for: answers and approvals, the rules behind them, and plans."""
