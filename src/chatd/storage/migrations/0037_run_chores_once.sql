-- Periodic work that one server does at a time: who does it, until when that counts, and when it was done last.
CREATE TABLE chores (
    name    TEXT   PRIMARY KEY,
    holder  TEXT   NOT NULL,
    until   BIGINT NOT NULL,
    done_at BIGINT NOT NULL
);

-- Whether the addresses of its rows were removed.
ALTER TABLE audit_seals ADD COLUMN blanked BOOLEAN NOT NULL DEFAULT FALSE;
