-- Groups, services and their end users, and tokens that are good for one family of chats.
-- Servers of older versions would take such a token for one that is good for every chat of its user.

CREATE TABLE groups (
    id         TEXT   PRIMARY KEY,
    name       TEXT   NOT NULL,
    -- The name in small letters.
    name_key   TEXT   NOT NULL UNIQUE,
    -- Made by administrators here, or named by the identity provider, which then says who is in it.
    source     TEXT   NOT NULL CHECK (source IN ('local', 'oidc')),
    created_at BIGINT NOT NULL
);

CREATE TABLE group_members (
    group_id   TEXT   NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    source     TEXT   NOT NULL CHECK (source IN ('local', 'oidc')),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (group_id, user_id)
);

CREATE INDEX group_members_by_user ON group_members (user_id);

-- What is true of users whose kind is `service`, and of no others.
CREATE TABLE services (
    user_id       TEXT   PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    acts_for      TEXT   NOT NULL CHECK (acts_for IN ('nobody', 'end_users', 'group')),
    group_id      TEXT   REFERENCES groups (id) CHECK ((acts_for = 'group') = (group_id IS NOT NULL)),
    -- How many there are that were not deleted, so that they need not be counted.
    end_users     BIGINT NOT NULL DEFAULT 0 CHECK (end_users >= 0),
    end_users_max BIGINT NOT NULL,
    -- JSON; NULL: the usual ones.
    rates         TEXT
);

CREATE INDEX services_by_group ON services (group_id) WHERE group_id IS NOT NULL;

-- An end user belongs to a service, which has its own name for them.
ALTER TABLE users ADD COLUMN service_id TEXT REFERENCES users (id);
ALTER TABLE users ADD COLUMN external_id TEXT
    CHECK ((kind = 'end_user') = (service_id IS NOT NULL) AND (kind = 'end_user') = (external_id IS NOT NULL));

CREATE UNIQUE INDEX end_users_by_external_id ON users (service_id, external_id)
 WHERE service_id IS NOT NULL AND deleted_at IS NULL;
-- The others are few, and are listed and counted without passing over end users.
CREATE INDEX users_by_name ON users (name_key) WHERE kind <> 'end_user' AND deleted_at IS NULL;

-- The root of the only family that the token is good for, and the user who has made it, if it was not its own.
ALTER TABLE tokens ADD COLUMN chat_id TEXT REFERENCES chats (id) ON DELETE CASCADE;
ALTER TABLE tokens ADD COLUMN made_by TEXT;
ALTER TABLE tokens ADD COLUMN rates TEXT;

CREATE INDEX tokens_by_chat ON tokens (chat_id) WHERE chat_id IS NOT NULL;

-- Of the end user who owns the chat: what makes a service its steward. It changes with the owner.
ALTER TABLE chats ADD COLUMN service_id TEXT REFERENCES users (id);

CREATE INDEX chats_of_service ON chats (service_id, archived, (-updated_at), id)
 WHERE service_id IS NOT NULL AND parent_id IS NULL AND NOT temporary;
