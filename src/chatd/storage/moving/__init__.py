"""Everything in a database, moved to another one."""
