-- A caller's own name for a chat or a message, and the check sum of the request that used it. The keys of messages
-- have a table, because one whose message was taken out of the queue stays used.
ALTER TABLE chats ADD COLUMN key TEXT;
ALTER TABLE chats ADD COLUMN key_digest TEXT;
CREATE UNIQUE INDEX chats_by_key ON chats (owner_id, key) WHERE key IS NOT NULL;

ALTER TABLE messages ADD COLUMN key TEXT;
CREATE UNIQUE INDEX messages_by_key ON messages (chat_id, key) WHERE key IS NOT NULL;

ALTER TABLE queued_messages ADD COLUMN key TEXT;
CREATE UNIQUE INDEX queued_messages_by_key ON queued_messages (chat_id, key) WHERE key IS NOT NULL;

CREATE TABLE message_keys (
    chat_id    TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    key        TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    -- Of the message, or of its place in the queue.
    number     BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (chat_id, key)
);
