"""Who may do what: roles, scopes, what a caller is to a chat, the table of deeds, and `permit` over it."""
