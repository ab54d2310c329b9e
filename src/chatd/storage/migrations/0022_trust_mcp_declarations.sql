-- The file .mcp.json of a directory that a user trusts, by the digest of its content: its servers may be started.
CREATE TABLE mcp_trust (
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    root       TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, root)
);
