-- Chats that are shared, what each reader has marked in them, and chats on offer.
-- Servers of older versions would let go on watching who may no more.

ALTER TABLE chats ADD COLUMN access_version BIGINT NOT NULL DEFAULT 0;

-- Of roots alone: what is granted counts for the chats that work for them as well.
CREATE TABLE chat_grants (
    chat_id    TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    kind       TEXT   NOT NULL CHECK (kind IN ('user', 'group', 'everyone')),
    -- The id of a user or a group; 'all' for everyone.
    subject_id TEXT   NOT NULL,
    -- The same id, so that a group takes its grants along.
    group_id   TEXT   REFERENCES groups (id) ON DELETE CASCADE CHECK ((kind = 'group') = (group_id IS NOT NULL)),
    role       TEXT   NOT NULL CHECK (role IN ('reader', 'writer')),
    made_by    TEXT   NOT NULL,
    made_at    BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (chat_id, kind, subject_id)
);
CREATE INDEX chat_grants_by_group ON chat_grants (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX chat_grants_by_subject ON chat_grants (subject_id, kind, chat_id);

-- What people have marked for themselves. What the owner has read and pinned is in the chat's row, so that
-- their list comes out of one index; of them only `muted` counts here.
CREATE TABLE chat_readers (
    user_id   TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    chat_id   TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    read_id   BIGINT  NOT NULL DEFAULT 0,
    pin_order BIGINT  NOT NULL DEFAULT 0,
    muted     BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (user_id, chat_id)
);
CREATE INDEX chat_readers_by_chat ON chat_readers (chat_id);

-- A chat has one offer at a time.
CREATE TABLE transfers (
    chat_id    TEXT   PRIMARY KEY REFERENCES chats (id) ON DELETE CASCADE,
    to_id      TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    by_id      TEXT   NOT NULL,
    keep       TEXT   NOT NULL CHECK (keep IN ('writer', 'reader', 'nothing')),
    made_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX transfers_by_user ON transfers (to_id);
