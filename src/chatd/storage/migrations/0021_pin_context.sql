-- What a chat is told of its workspace, as in domain/context.py: on its row that something is pinned, and since when
-- the workspace differs from it; the resources in a table of their own, because their texts can be long. `body` is
-- the last column: SQLite does not read it with the others.
ALTER TABLE chats ADD COLUMN context TEXT;

CREATE TABLE context_resources (
    chat_id           TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    ordinal           INTEGER NOT NULL,
    kind              TEXT    NOT NULL,
    source            TEXT    NOT NULL,
    status            TEXT    NOT NULL,
    size_bytes        BIGINT  NOT NULL,
    error             TEXT    NOT NULL,
    skill_name        TEXT    NOT NULL,
    skill_description TEXT    NOT NULL,
    body              TEXT    NOT NULL,
    PRIMARY KEY (chat_id, ordinal)
);
