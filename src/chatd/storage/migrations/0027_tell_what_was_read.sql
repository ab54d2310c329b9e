-- The newest message that the owner of a chat has read. What was said before this is taken for read.
ALTER TABLE chats ADD COLUMN read_id BIGINT NOT NULL DEFAULT 0;
UPDATE chats SET read_id = last_number;
