"""Whether the database can be used, is whole, and how much there is to do in it."""
