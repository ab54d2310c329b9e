"""What watchers of lists are told of chats of others: looked up once for all who watch here."""
