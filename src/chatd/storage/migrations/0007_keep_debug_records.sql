-- What was sent to models and what came back, where somebody wants to know. It decides nothing, and goes with
-- its chat.
CREATE TABLE debug_runs (
    id          TEXT   PRIMARY KEY,
    chat_id     TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    runner_id   TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    status      TEXT   NOT NULL CHECK (status IN ('in_progress', 'completed', 'error', 'interrupted')),
    provider    TEXT   NOT NULL,
    model       TEXT   NOT NULL,
    trigger_id  BIGINT NOT NULL,
    tip_id      BIGINT NOT NULL,
    summary     TEXT   NOT NULL,
    started_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    finished_at BIGINT CHECK ((finished_at IS NULL) = (status = 'in_progress'))
);

CREATE INDEX debug_runs_by_chat ON debug_runs (chat_id, started_at, id);
CREATE INDEX debug_runs_by_age ON debug_runs (started_at);

-- A step is one JSON document, with every attempt at it.
CREATE TABLE debug_steps (
    run_id TEXT   NOT NULL REFERENCES debug_runs (id) ON DELETE CASCADE,
    number BIGINT NOT NULL CHECK (number > 0),
    step   TEXT   NOT NULL,
    PRIMARY KEY (run_id, number)
);
