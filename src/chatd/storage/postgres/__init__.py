"""PostgreSQL: pools of connections, row locks, the database's clock."""
