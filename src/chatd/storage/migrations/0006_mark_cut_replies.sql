-- A reply that ended because the model may not say more at once.
ALTER TABLE messages ADD COLUMN cut_off BOOLEAN NOT NULL DEFAULT FALSE;
