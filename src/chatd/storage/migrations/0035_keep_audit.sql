-- What was done, by whom and to what. Rows are written in the transaction of the deed and never changed, but for
-- the purge and the blanking of addresses. They refer to nothing: users and chats go, and what they did stays told.
CREATE TABLE audit (
    id           TEXT   NOT NULL,
    at           BIGINT NOT NULL,
    actor_id     TEXT,
    on_behalf_of TEXT,
    via          TEXT   NOT NULL,
    token_id     TEXT,
    address      TEXT,
    request_id   TEXT,
    deed         TEXT   NOT NULL,
    target_kind  TEXT   NOT NULL,
    target_id    TEXT   NOT NULL,
    outcome      TEXT   NOT NULL CHECK (outcome IN ('done', 'refused')),
    changes      TEXT   NOT NULL,
    PRIMARY KEY (at, id)
);

CREATE INDEX audit_by_actor ON audit (actor_id, at);
CREATE INDEX audit_by_target ON audit (target_id, at);

-- A hash over the seal before and the rows since, up to and with (`up_to_at`, `up_to_id`).
CREATE TABLE audit_seals (
    number   BIGINT PRIMARY KEY,
    at       BIGINT NOT NULL,
    up_to_at BIGINT NOT NULL,
    up_to_id TEXT   NOT NULL,
    entries  BIGINT NOT NULL,
    hash     TEXT   NOT NULL
);
