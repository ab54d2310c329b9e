-- An attempt may call several models: its own, and those that its tools call. Each of these calls has its charge.
CREATE TABLE numbered_charges (
    chat_id     TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    history     BIGINT NOT NULL,
    attempt     BIGINT NOT NULL,
    number      BIGINT NOT NULL DEFAULT 0,
    created_at  BIGINT NOT NULL,
    model       TEXT   NOT NULL,
    operation   TEXT   NOT NULL,
    fate        TEXT   NOT NULL,
    usage       TEXT,
    cost_micros BIGINT,
    cost_source TEXT,
    cost_basis  TEXT,
    PRIMARY KEY (chat_id, history, attempt, number)
);

INSERT INTO numbered_charges (chat_id, history, attempt, created_at, model, operation, fate, usage,
                              cost_micros, cost_source, cost_basis)
SELECT chat_id, history, attempt, created_at, model, operation, fate, usage, cost_micros, cost_source, cost_basis
  FROM charges;

DROP TABLE charges;
ALTER TABLE numbered_charges RENAME TO charges;
