-- The servers that share this database, each with a sign of life. `worker_id` is none for one that drives no
-- chats, and `address` none for one that answers no requests.
CREATE TABLE replicas (
    id         TEXT   PRIMARY KEY,
    host       TEXT   NOT NULL,
    version    TEXT   NOT NULL,
    address    TEXT,
    worker_id  TEXT,
    started_at BIGINT NOT NULL,
    beat_at    BIGINT NOT NULL
);
