-- What administrators and users set: providers, models, keys, prompts. JSON is text; keys are sealed.

-- A provider that was deleted stays: what its models wrote in chats names it, and its models must fail
-- instead of being replaced by something else.
CREATE TABLE providers (
    id                TEXT    PRIMARY KEY,
    name              TEXT    NOT NULL,
    type              TEXT    NOT NULL,
    display_name      TEXT    NOT NULL,
    enabled           BOOLEAN NOT NULL,
    base_url          TEXT,
    settings          TEXT    NOT NULL,
    user_keys_allowed BOOLEAN NOT NULL,
    api_key           TEXT,
    created_at        BIGINT  NOT NULL,
    updated_at        BIGINT  NOT NULL,
    deleted_at        BIGINT  CHECK (deleted_at IS NULL OR (NOT enabled AND api_key IS NULL))
);

CREATE UNIQUE INDEX providers_by_name ON providers (name) WHERE deleted_at IS NULL;

-- No reference to providers: one of these may be declared in a file.
CREATE TABLE models (
    id                    TEXT     PRIMARY KEY,
    provider_id           TEXT     NOT NULL,
    model                 TEXT     NOT NULL,
    display_name          TEXT     NOT NULL,
    enabled               BOOLEAN  NOT NULL,
    context_limit         BIGINT   NOT NULL CHECK (context_limit > 0),
    compression_threshold BIGINT   NOT NULL CHECK (compression_threshold BETWEEN 0 AND 100),
    options               TEXT     NOT NULL,
    prices                TEXT,
    created_at            BIGINT   NOT NULL,
    updated_at            BIGINT   NOT NULL,
    UNIQUE (provider_id, model)
);

CREATE TABLE user_provider_keys (
    user_id     TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider_id TEXT   NOT NULL,
    api_key     TEXT   NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (user_id, provider_id)
);

CREATE TABLE settings (
    name       TEXT   PRIMARY KEY,
    document   TEXT   NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE user_settings (
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    document   TEXT   NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, name)
);
