-- The episode in which a message was said: the version of the history that the model saw, and the attempt on it.
-- Messages of before, and those that no agent said, have none.
ALTER TABLE messages ADD COLUMN history_version BIGINT;
ALTER TABLE messages ADD COLUMN generation_attempt BIGINT;
