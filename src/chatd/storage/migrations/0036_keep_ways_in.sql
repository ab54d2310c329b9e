-- Ways in beside tokens and links: OpenID Connect, a header of a proxy, passwords.

-- What an identity provider or an administrator says; `email_key` has it in small letters.
ALTER TABLE users ADD COLUMN email TEXT;
ALTER TABLE users ADD COLUMN email_key TEXT;
ALTER TABLE users ADD COLUMN email_verified BOOLEAN NOT NULL DEFAULT FALSE;
-- As argon2id writes it: parameters, salt and hash.
ALTER TABLE users ADD COLUMN password TEXT;

CREATE INDEX users_by_email ON users (email_key) WHERE email_key IS NOT NULL;

-- By which name others know a user: an identity provider, or the proxy before us.
CREATE TABLE identities (
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_by_user ON identities (user_id);

-- Browsers that were sent to the identity provider and are not back: hashes of the `state` and of their cookie.
-- With `user_id`, who comes back is joined to that user, who has asked for it.
CREATE TABLE oidc_states (
    hash         TEXT   PRIMARY KEY,
    browser_hash TEXT   NOT NULL,
    issuer       TEXT   NOT NULL,
    return_to    TEXT   NOT NULL,
    user_id      TEXT   REFERENCES users (id) ON DELETE CASCADE,
    expires_at   BIGINT NOT NULL
);

CREATE INDEX oidc_states_by_end ON oidc_states (expires_at);

-- Passwords that were tried, by the hash of the name, whether or not there is a user of that name.
CREATE TABLE password_tries (
    name_hash  TEXT   PRIMARY KEY,
    failures   BIGINT NOT NULL,
    since      BIGINT NOT NULL,
    waits      BIGINT NOT NULL,
    wait_until BIGINT NOT NULL,
    forget_at  BIGINT NOT NULL
);

CREATE INDEX password_tries_by_end ON password_tries (forget_at);

CREATE TABLE kept_sign_ins (
    id         TEXT   PRIMARY KEY,
    hash       TEXT   NOT NULL UNIQUE,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    method     TEXT   NOT NULL CHECK (method IN ('link', 'token', 'password', 'oidc')),
    token_id   TEXT   REFERENCES tokens (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    address    TEXT   NOT NULL,
    browser    TEXT   NOT NULL,
    CHECK ((method = 'token') = (token_id IS NOT NULL))
);

INSERT INTO kept_sign_ins (id, hash, user_id, method, token_id, created_at, used_at, ends_at, address, browser)
SELECT id, hash, user_id, method, token_id, created_at, used_at, ends_at, address, browser
  FROM sign_ins;

DROP TABLE sign_ins;
ALTER TABLE kept_sign_ins RENAME TO sign_ins;
CREATE INDEX sign_ins_by_user ON sign_ins (user_id, used_at);
CREATE INDEX sign_ins_by_token ON sign_ins (token_id);
