"""Keys of providers: sealed in the database, and unsealed only to be used."""
