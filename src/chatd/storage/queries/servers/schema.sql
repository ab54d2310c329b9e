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

-- end_hanging_sessions (postgres) --
-- Sessions of ours that have locked something, and for $1 have waited for the rest of a statement.
SELECT pg_terminate_backend(pid)
  FROM pg_stat_activity
 WHERE datname = current_database() AND usename = current_user
   AND application_name = current_setting('application_name')
   AND state = 'active' AND wait_event = 'ClientRead' AND backend_xid IS NOT NULL
   AND state_change < clock_timestamp() - CAST($1 AS interval);

-- one_migrator (sqlite) --
-- The data directory's lock lets one program migrate at a time.
SELECT 1;

-- one_migrator (postgres) --
-- Replicas that start together migrate one after the other.
SELECT pg_advisory_xact_lock(7341182840256);

-- prove_writable (sqlite) --
-- Changes nothing, and needs all that a change needs: the lock, room in the log, a disk that writes.
UPDATE migrations
   SET name = name
 WHERE number = 1;

-- prove_writable (postgres) --
-- A transaction with a number is written to the log at its commit. A standby gives out none.
SELECT pg_current_xact_id();

-- known_damage (postgres) --
-- Pages that did not fit their checksums, indexes that a failed build left, references that were never checked.
SELECT problem
  FROM (SELECT checksum_failures || ' pages did not fit their checksums' AS problem
          FROM pg_stat_database
         WHERE datname = current_database() AND checksum_failures > 0
        UNION ALL
        SELECT 'the index ' || indexrelid::regclass || ' is not valid'
          FROM pg_index
          JOIN pg_class ON pg_class.oid = indrelid
         WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace
        UNION ALL
        SELECT 'the constraint ' || conname || ' of ' || conrelid::regclass || ' was never checked'
          FROM pg_constraint
         WHERE NOT convalidated AND connamespace = current_schema()::regnamespace) AS damage
 LIMIT $1;
