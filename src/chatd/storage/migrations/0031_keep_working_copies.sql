-- Working copies of agents, each noted before it is made, with the call that makes it. A row outlives the chats that it
-- names: it goes when the copy is removed.
CREATE TABLE working_copies (
    child_id   TEXT   PRIMARY KEY,
    parent_id  TEXT   NOT NULL,
    message_id BIGINT NOT NULL,
    call_id    TEXT   NOT NULL,
    -- The workspace of the parent, in which the copy is.
    workspace  TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
