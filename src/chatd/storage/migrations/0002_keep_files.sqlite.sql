CREATE TABLE files (
    id         TEXT   PRIMARY KEY,
    owner_id   TEXT   NOT NULL REFERENCES users (id),
    name       TEXT   NOT NULL,
    media_type TEXT   NOT NULL,
    size_bytes BIGINT NOT NULL,
    data       BLOB   NOT NULL,
    created_at BIGINT NOT NULL
);
