"""Routes for the audit: what was done on this server, by whom."""
