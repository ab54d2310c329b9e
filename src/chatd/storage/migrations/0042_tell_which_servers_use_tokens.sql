-- Of a token of a server: when that server was last known to live. NULL: the token is a user's, or was made by a
-- server that does not tell.
ALTER TABLE tokens ADD COLUMN served_at BIGINT;
