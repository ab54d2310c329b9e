"""PostgreSQL: pools of connections, row locks and what does without them, the database's clock."""
