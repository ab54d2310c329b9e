-- Model calls that were paid for and did not become a message. One for each attempt on a history, so that a
-- commit that is made twice counts once.
CREATE TABLE charges (
    chat_id     TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    history     BIGINT NOT NULL,
    attempt     BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    model       TEXT   NOT NULL,
    operation   TEXT   NOT NULL,
    fate        TEXT   NOT NULL,
    usage       TEXT,
    cost_micros BIGINT,
    cost_source TEXT,
    cost_basis  TEXT,
    PRIMARY KEY (chat_id, history, attempt)
);
