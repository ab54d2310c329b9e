-- What a reply has cost, and how long the model took to begin it. No cost means that nobody knows it.
ALTER TABLE messages ADD COLUMN first_ms BIGINT;
ALTER TABLE messages ADD COLUMN cost_micros BIGINT;
ALTER TABLE messages ADD COLUMN cost_source TEXT;
ALTER TABLE messages ADD COLUMN cost_basis TEXT;
-- A reply that the provider wants to go on with.
ALTER TABLE messages ADD COLUMN paused BOOLEAN NOT NULL DEFAULT FALSE;
