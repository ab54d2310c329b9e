-- Of a user who was deleted: what is to become of their chats, as JSON, until it has. NULL: nothing is left to do.
ALTER TABLE users ADD COLUMN leaving TEXT;
CREATE INDEX users_who_leave ON users (id) WHERE leaving IS NOT NULL;
