-- Users of more roles, with a life; tokens with scopes, an end, and two secrets while one replaces the other.
-- Servers of older versions would let in who is suspended, and with more than a token is made for.
-- `users` is changed column by column: SQLite deletes what refers to a table that is dropped.

-- Unique: the name in small letters, or the id of a user who was deleted, so that the name is free again.
ALTER TABLE users RENAME COLUMN name TO name_key;
ALTER TABLE users ADD COLUMN name TEXT NOT NULL DEFAULT '';
UPDATE users SET name = name_key, name_key = lower(name_key);

ALTER TABLE users ADD COLUMN new_role TEXT NOT NULL DEFAULT 'member'
    CHECK (new_role IN ('admin', 'auditor', 'member', 'viewer'));
UPDATE users SET new_role = role;
ALTER TABLE users DROP COLUMN role;
ALTER TABLE users RENAME COLUMN new_role TO role;

ALTER TABLE users ADD COLUMN kind TEXT NOT NULL DEFAULT 'person'
    CHECK (kind IN ('person', 'service', 'end_user'));
ALTER TABLE users ADD COLUMN display_name TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN suspended_at BIGINT;
ALTER TABLE users ADD COLUMN deleted_at BIGINT;

-- What was made before there were scopes is good for everything, and has no end.
CREATE TABLE kept_tokens (
    id         TEXT   PRIMARY KEY,
    hash       TEXT   NOT NULL UNIQUE,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    -- The beginning of the secret, to recognise it by.
    shown      TEXT   NOT NULL,
    -- Words with a blank between them.
    scopes     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    used_at    BIGINT,
    -- The secret before the last rotation, and how long it still counts.
    old_hash   TEXT   UNIQUE,
    old_until  BIGINT CHECK ((old_hash IS NULL) = (old_until IS NULL))
);

INSERT INTO kept_tokens (id, hash, user_id, name, shown, scopes, created_at)
SELECT substr(hash, 1, 16), hash, user_id, name, '',
       'account act_as admin audit:read chats:read chats:share chats:write files:write metrics:read '
       || 'models:read usage:read',
       created_at
  FROM tokens;

CREATE TABLE kept_sign_ins (
    id         TEXT   PRIMARY KEY,
    hash       TEXT   NOT NULL UNIQUE,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    method     TEXT   NOT NULL CHECK (method IN ('link', 'token')),
    token_id   TEXT   REFERENCES kept_tokens (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    address    TEXT   NOT NULL,
    browser    TEXT   NOT NULL,
    CHECK ((method = 'token') = (token_id IS NOT NULL))
);

INSERT INTO kept_sign_ins (id, hash, user_id, method, token_id, created_at, used_at, ends_at, address, browser)
SELECT id, hash, user_id, method, substr(token_hash, 1, 16), created_at, used_at, ends_at, address, browser
  FROM sign_ins;

DROP TABLE sign_ins;
DROP TABLE tokens;
ALTER TABLE kept_tokens RENAME TO tokens;
ALTER TABLE kept_sign_ins RENAME TO sign_ins;
CREATE INDEX tokens_by_user ON tokens (user_id, created_at);
CREATE INDEX sign_ins_by_user ON sign_ins (user_id, used_at);
CREATE INDEX sign_ins_by_token ON sign_ins (token_id);

CREATE TABLE kept_codes (
    hash       TEXT   PRIMARY KEY,
    purpose    TEXT   NOT NULL CHECK (purpose IN ('terminal', 'recover', 'invite')),
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);

INSERT INTO kept_codes (hash, purpose, user_id, created_at, expires_at, used_at)
SELECT hash, purpose, user_id, created_at, expires_at, used_at
  FROM sign_in_codes;

DROP TABLE sign_in_codes;
ALTER TABLE kept_codes RENAME TO sign_in_codes;
CREATE INDEX sign_in_codes_by_user ON sign_in_codes (user_id, created_at);
