-- MCP servers that administrators have added for all users (owner_id is NULL), and users for themselves. `document`
-- is JSON, as in catalog/mcp/config.py; `secrets` is sealed. `revision` counts all changes.
CREATE TABLE mcp_servers (
    id           TEXT    PRIMARY KEY,
    owner_id     TEXT    REFERENCES users (id) ON DELETE CASCADE,
    slug         TEXT    NOT NULL,
    enabled      BOOLEAN NOT NULL,
    availability TEXT    NOT NULL,
    version      BIGINT  NOT NULL,
    document     TEXT    NOT NULL,
    secrets      TEXT,
    revision     BIGINT  NOT NULL DEFAULT 1,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL
);

CREATE UNIQUE INDEX mcp_servers_by_slug ON mcp_servers (slug) WHERE owner_id IS NULL;
CREATE UNIQUE INDEX mcp_servers_of_users_by_slug ON mcp_servers (owner_id, slug) WHERE owner_id IS NOT NULL;

-- What a user was given by the authorization server of an MCP server: sealed tokens, which change with each refresh,
-- and with them the serial. No reference to mcp_servers: one of these may be declared in a file.
CREATE TABLE mcp_grants (
    server_id  TEXT    NOT NULL,
    user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    version    BIGINT  NOT NULL,
    serial     TEXT    NOT NULL,
    tokens     TEXT    NOT NULL,
    refused    BOOLEAN NOT NULL DEFAULT FALSE,
    updated_at BIGINT  NOT NULL,
    PRIMARY KEY (server_id, user_id)
);

-- A user who is signing in; one at a time for each server. The state is in the address that the user opens, and is
-- gone from here once it was used. `code` is then what the user has to repeat. Both are hashes.
CREATE TABLE mcp_sign_ins (
    server_id  TEXT   NOT NULL,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL,
    state      TEXT,
    code       TEXT,
    tries      BIGINT NOT NULL DEFAULT 0,
    sealed     TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (server_id, user_id)
);

CREATE UNIQUE INDEX mcp_sign_ins_by_state ON mcp_sign_ins (state) WHERE state IS NOT NULL;
