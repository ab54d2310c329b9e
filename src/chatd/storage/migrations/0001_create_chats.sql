-- The durable core: chats, what was said in them, what waits, and which calls are open.
-- Times are microseconds since 1970. JSON is text: the columns that queries need stand beside it.

CREATE TABLE users (
    id         TEXT   PRIMARY KEY,
    name       TEXT   NOT NULL UNIQUE,
    role       TEXT   NOT NULL CHECK (role IN ('admin', 'member')),
    created_at BIGINT NOT NULL
);

CREATE TABLE tokens (
    hash       TEXT   PRIMARY KEY,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE workers (
    id      TEXT   PRIMARY KEY,
    beat_at BIGINT NOT NULL
);

CREATE TABLE chats (
    id                      TEXT    PRIMARY KEY,
    owner_id                TEXT    NOT NULL REFERENCES users (id),
    created_at              BIGINT  NOT NULL,
    updated_at              BIGINT  NOT NULL,

    status                  TEXT    NOT NULL
        CHECK (status IN ('waiting', 'running', 'interrupting', 'requires_action', 'error')),
    archived                BOOLEAN NOT NULL CHECK (NOT archived OR status IN ('waiting', 'error')),
    last_error              TEXT    CHECK (last_error IS NULL OR status = 'error'),
    retry_state             TEXT,
    deadline_at             BIGINT  CHECK (deadline_at IS NULL OR status = 'requires_action'),
    compaction_requested_at BIGINT
        CHECK (compaction_requested_at IS NULL OR status IN ('running', 'interrupting')),
    worker_id               TEXT,
    runner_id               TEXT    CHECK ((worker_id IS NULL) = (runner_id IS NULL)),

    snapshot_version        BIGINT  NOT NULL CHECK (snapshot_version >= 1),
    history_version         BIGINT  NOT NULL CHECK (history_version BETWEEN 1 AND snapshot_version),
    queue_version           BIGINT  NOT NULL CHECK (queue_version BETWEEN 0 AND snapshot_version),
    retry_version           BIGINT  NOT NULL CHECK (retry_version BETWEEN 0 AND snapshot_version),
    attempt                 BIGINT  NOT NULL CHECK (attempt >= 0),

    projection              TEXT    NOT NULL,
    queued                  BIGINT  NOT NULL
        CHECK (queued BETWEEN 0 AND 20 AND (status <> 'waiting' OR queued = 0)),
    open_calls              BIGINT  NOT NULL CHECK (open_calls >= 0),

    branch                  BIGINT  NOT NULL CHECK (branch BETWEEN 1 AND branch_count),
    branch_count            BIGINT  NOT NULL,
    last_number             BIGINT  NOT NULL,
    last_model              TEXT,
    last_effort             TEXT,
    finish_reason           TEXT    CHECK (finish_reason IS NULL OR status = 'waiting'),

    parent_id               TEXT    REFERENCES chats (id) ON DELETE SET NULL,
    root_id                 TEXT    REFERENCES chats (id) ON DELETE SET NULL,
    title                   TEXT    NOT NULL,
    title_folded            TEXT    NOT NULL,
    labels                  TEXT    NOT NULL,
    pin_order               BIGINT  NOT NULL
        CHECK (pin_order >= 0 AND (pin_order = 0 OR (NOT archived AND parent_id IS NULL))),
    client_tool_names       TEXT    NOT NULL,
    client_tools            TEXT    NOT NULL
);

CREATE INDEX chats_in_list_order
    ON chats (owner_id, archived, (pin_order = 0), pin_order, (-updated_at), id)
 WHERE parent_id IS NULL;

CREATE INDEX chats_by_root ON chats (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX chats_by_parent ON chats (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX chats_with_work ON chats (updated_at) WHERE status IN ('running', 'interrupting', 'requires_action');

CREATE TABLE chat_labels (
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    key     TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (chat_id, key)
);

CREATE TABLE branches (
    chat_id    TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    id         BIGINT NOT NULL,
    parent_id  BIGINT NOT NULL,
    fork_id    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (chat_id, id)
);

CREATE TABLE messages (
    chat_id         TEXT     NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    id              BIGINT   NOT NULL,
    role            TEXT     NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    content         TEXT     NOT NULL,
    content_version SMALLINT NOT NULL,
    visibility      TEXT     NOT NULL CHECK (visibility IN ('user', 'model', 'both')),
    compressed      BOOLEAN  NOT NULL,
    deleted         BOOLEAN  NOT NULL,
    revision        BIGINT   NOT NULL,
    branch          BIGINT   NOT NULL,
    model           TEXT,
    effort          TEXT,
    created_by      TEXT,
    usage           TEXT,
    runtime_ms      BIGINT,
    ends_turn       BOOLEAN  NOT NULL,
    advisor_uses    BIGINT   NOT NULL,
    tokens          BIGINT   NOT NULL,
    created_at      BIGINT   NOT NULL,
    internal        TEXT,
    PRIMARY KEY (chat_id, id)
);

CREATE INDEX messages_by_revision ON messages (chat_id, revision);

CREATE TABLE queued_messages (
    chat_id    TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    id         BIGINT  NOT NULL,
    content    TEXT    NOT NULL,
    created_by TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    position   BIGINT  NOT NULL,
    steered    BOOLEAN NOT NULL,
    model      TEXT,
    effort     TEXT,
    PRIMARY KEY (chat_id, id)
);

CREATE TABLE calls (
    chat_id     TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    message_id  BIGINT NOT NULL,
    id          TEXT   NOT NULL,
    ordinal     BIGINT NOT NULL,
    tool        TEXT   NOT NULL,
    kind        TEXT   NOT NULL CHECK (kind IN ('local', 'client', 'person', 'provider')),
    effect      TEXT   NOT NULL CHECK (effect IN ('read', 'repeatable', 'once')),
    state       TEXT   NOT NULL
        CHECK (state IN ('open', 'needs_approval', 'denied', 'started', 'finished', 'answered')),
    args        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    result      TEXT   CHECK (state <> 'finished' OR result IS NOT NULL),
    decided_by  TEXT,
    reason      TEXT,
    runner_id   TEXT,
    started_at  BIGINT,
    finished_at BIGINT,
    answered_at BIGINT,
    PRIMARY KEY (chat_id, message_id, id)
);

CREATE INDEX calls_unanswered ON calls (chat_id) WHERE state <> 'answered';
