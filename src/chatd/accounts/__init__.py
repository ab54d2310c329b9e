"""Who may ask: users, tokens, browsers that are signed in; and what each kind of viewer is shown."""
