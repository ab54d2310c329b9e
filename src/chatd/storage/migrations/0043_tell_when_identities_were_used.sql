-- When somebody last signed in as this person of the identity provider. NULL: not since this is noted.
ALTER TABLE identities ADD COLUMN used_at BIGINT;
