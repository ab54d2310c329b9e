-- create_migrations --
CREATE TABLE IF NOT EXISTS migrations (
    number     BIGINT PRIMARY KEY,
    name       TEXT   NOT NULL,
    applied_at BIGINT NOT NULL
);

-- has_migrations (sqlite) --
SELECT 1
  FROM sqlite_master
 WHERE type = 'table' AND name = 'migrations';

-- has_migrations (postgres) --
SELECT 1
  FROM pg_catalog.pg_class
 WHERE oid = to_regclass('migrations');

-- applied_migrations --
SELECT number, name
  FROM migrations
 ORDER BY number;

-- insert_migration --
INSERT INTO migrations (number, name, applied_at)
VALUES ($1, $2, $3);

-- be_patient (postgres) --
-- For this transaction alone.
SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true);

-- one_migrator (sqlite) --
-- The data directory's lock lets one program migrate at a time.
SELECT 1;

-- one_migrator (postgres) --
-- Replicas that start together migrate one after the other.
SELECT pg_advisory_xact_lock(7341182840256);
