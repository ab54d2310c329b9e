-- Browsers that were let in, by the hash of what their cookie holds. One that showed a token ends with that token.
CREATE TABLE sign_ins (
    id         TEXT   PRIMARY KEY,
    hash       TEXT   NOT NULL UNIQUE,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    method     TEXT   NOT NULL CHECK (method IN ('link', 'token')),
    token_hash TEXT   REFERENCES tokens (hash) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    address    TEXT   NOT NULL,
    browser    TEXT   NOT NULL,
    CHECK ((method = 'token') = (token_hash IS NOT NULL))
);

CREATE INDEX sign_ins_by_user ON sign_ins (user_id, used_at);
CREATE INDEX sign_ins_by_token ON sign_ins (token_hash);

-- Codes of one-time links, by their hashes. One that was used stays until it would have expired.
CREATE TABLE sign_in_codes (
    hash       TEXT   PRIMARY KEY,
    purpose    TEXT   NOT NULL CHECK (purpose IN ('terminal')),
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);

CREATE INDEX sign_in_codes_by_user ON sign_in_codes (user_id, created_at);
