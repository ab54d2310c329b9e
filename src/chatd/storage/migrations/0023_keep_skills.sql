-- Skills that users keep on the server, for all of their chats. `content` is the whole SKILL.md, and the last column.
CREATE TABLE skills (
    owner_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name        TEXT   NOT NULL,
    description TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    content     TEXT   NOT NULL,
    PRIMARY KEY (owner_id, name)
);
