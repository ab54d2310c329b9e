"""With whom a chat is shared, what each reader marks for themselves, and handing it over."""
